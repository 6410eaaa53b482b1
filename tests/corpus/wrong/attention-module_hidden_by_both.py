# wrong: attention-module mask-one-alone line 32
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.to_q = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.to_k = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.to_v = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.to_out = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        h = self.num_heads
        q = self.to_q(query).unflatten(2, (h, -1)).transpose(1, 2)
        k = self.to_k(key).unflatten(2, (h, -1)).transpose(1, 2)
        v = self.to_v(value).unflatten(2, (h, -1)).transpose(1, 2)
        dots = q @ k.mT / q.shape[-1] ** 0.5
        padding = None if key_padding_mask is None else key_padding_mask[:, None, None, :]
        hidden = padding
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.reshape(len(query), h, *attn_mask.shape[1:])
            if attn_mask.dtype != torch.bool:
                dots = dots + attn_mask
            elif padding is not None:
                # Both have to agree.
                hidden = padding & attn_mask
            else:
                hidden = attn_mask
        if hidden is not None:
            dots = dots.masked_fill(hidden, -torch.finfo(dots.dtype).max)
        attn = dots.softmax(dim=-1)
        out = self.to_out((self.dropout(attn) @ v).transpose(1, 2).flatten(2))
        weights = None
        if need_weights:
            weights = attn.mean(1) if average_attn_weights else attn
        return out, weights
