from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.embed_dim = embed_dim
        self.h = num_heads
        self.scale = embed_dim**-0.5
        self.rate = dropout
        self.in_proj = nn.Linear(embed_dim, 3 * embed_dim, bias=bias)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
                need_weights: bool = True, attn_mask: Tensor | None = None,
                average_attn_weights: bool = True) -> tuple[Tensor, Tensor | None]:
        wq, wk, wv = self.in_proj.weight.chunk(3)
        bq, bk, bv = (None,) * 3 if self.in_proj.bias is None else self.in_proj.bias.chunk(3)
        heads = lambda t: t.unflatten(2, (self.h, -1)).permute(0, 2, 1, 3)
        q = heads(F.linear(query, wq, bq)) * self.scale
        k = heads(F.linear(key, wk, bk))
        v = heads(F.linear(value, wv, bv))
        s = torch.einsum("bhtd,bhsd->bhts", q, k)
        if attn_mask is not None:
            if attn_mask.ndim == 3:
                attn_mask = attn_mask.unflatten(0, (query.size(0), self.h))
            s = s.masked_fill(attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else s + attn_mask
        if key_padding_mask is not None:
            s = s.masked_fill(key_padding_mask.unsqueeze(1).unsqueeze(2), -torch.inf)
        p = F.softmax(s, dim=-1)
        ctx = torch.einsum("bhts,bhsd->bthd", F.dropout(p, self.rate, self.training), v)
        y = self.out(ctx.flatten(-2))
        if need_weights:
            return y, p.mean(dim=1) if average_attn_weights else p
        return y, None
