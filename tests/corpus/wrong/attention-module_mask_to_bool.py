# wrong: attention-module mask-float-as-bool line 28
# fair: mask-float-as-bool 31
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.query = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.key = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.value = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.output = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        n, t, e = query.shape
        s = key.shape[1]
        q = self.query(query).reshape(n, t, self.num_heads, -1).permute(0, 2, 1, 3)
        k = self.key(key).reshape(n, s, self.num_heads, -1).permute(0, 2, 3, 1)
        v = self.value(value).reshape(n, s, self.num_heads, -1).permute(0, 2, 1, 3)
        scores = (q @ k) * self.head_dim**-0.5
        blocked = torch.zeros(n, 1, t, s, dtype=torch.bool, device=query.device)
        if attn_mask is not None:
            attn_mask = attn_mask.bool()
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(n, self.num_heads, t, s)
            blocked = blocked | attn_mask
        if key_padding_mask is not None:
            blocked = blocked | key_padding_mask[:, None, None, :]
        scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
        attn = torch.softmax(scores, -1)
        ctx = (self.dropout(attn) @ v).permute(0, 2, 1, 3).reshape(n, t, e)
        out = self.output(ctx)
        if not need_weights:
            return out, None
        return out, attn.mean(dim=1) if average_attn_weights else attn
