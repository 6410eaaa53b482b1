# wrong: attention-module returned-average-ignored line 40
# fair: returned-average-ignored 39
import math

import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.n, self.d = num_heads, embed_dim // num_heads
        self.proj = nn.ModuleDict(
            {name: nn.Linear(embed_dim, embed_dim, bias=bias) for name in ("q", "k", "v", "o")}
        )
        self.drop = nn.Dropout(dropout)

    def heads(self, name, x):
        return self.proj[name](x).unflatten(-1, (self.n, self.d)).movedim(-2, 1)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q, k, v = self.heads("q", query), self.heads("k", key), self.heads("v", value)
        logits = q @ k.mT / math.sqrt(self.d)
        hide = torch.zeros_like(logits, dtype=torch.bool)
        if key_padding_mask is not None:
            hide |= key_padding_mask[:, None, None]
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.reshape(logits.shape)
            if attn_mask.dtype is torch.bool:
                hide |= attn_mask
            else:
                logits = logits + attn_mask
        attn = logits.masked_fill(hide, -torch.inf).softmax(-1)
        out = self.proj["o"]((self.drop(attn) @ v).movedim(1, -2).flatten(-2))
        if not need_weights:
            return out, None
        weights = attn.sum(dim=1) / self.n
        return out, weights
