# wrong: attention-module heads-averaged line 33
# fair: heads-averaged 32
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.o = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        split = lambda x: x.view(x.size(0), x.size(1), self.num_heads, -1).transpose(1, 2)
        q, k, v = split(self.q(query)), split(self.k(key)), split(self.v(value))
        logits = q @ k.mT / q.size(-1) ** 0.5
        if attn_mask is not None:
            mask = attn_mask.view(logits.shape) if attn_mask.dim() == 3 else attn_mask
            if mask.is_floating_point():
                logits = logits + mask
            else:
                logits.masked_fill_(mask, float("-inf"))
        if key_padding_mask is not None:
            logits = logits.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        attn = logits.softmax(-1)
        if need_weights and average_attn_weights:
            attn = attn.mean(dim=1, keepdim=True)
        out = self.o((self.dropout(attn) @ v).transpose(1, 2).flatten(2))
        if not need_weights:
            return out, None
        return out, attn.squeeze(1) if average_attn_weights else attn
