# torch's own layout: in_proj_weight, in_proj_bias, out_proj. Inside, samples and heads are one axis.
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        assert embed_dim % num_heads == 0, "embed_dim must be divisible by num_heads"
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.register_parameter("in_proj_bias", nn.Parameter(torch.empty(3 * embed_dim)) if bias else None)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        nn.init.xavier_uniform_(self.in_proj_weight)
        if self.in_proj_bias is not None:
            nn.init.normal_(self.in_proj_bias, std=0.02)

    def _project(self, *inputs: Tensor):
        weights = self.in_proj_weight.chunk(3)
        biases = [None] * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        for t, w, b in zip(inputs, weights, biases):
            n, length, _ = t.shape
            t = F.linear(t, w, b).transpose(0, 1).reshape(length, n * self.num_heads, -1)
            yield t.transpose(0, 1)                                     # (n * heads, length, d)

    def _added(self, key_padding_mask: Tensor | None, attn_mask: Tensor | None, like: Tensor) -> Tensor:
        """One mask of numbers that broadcasts to (n * heads, target, source)."""
        total = like.new_zeros(1, 1, 1)
        if attn_mask is not None:
            m = attn_mask if attn_mask.dim() == 3 else attn_mask[None]
            total = total + (torch.zeros_like(m, dtype=like.dtype).masked_fill_(m, -torch.inf)
                             if m.dtype == torch.bool else m.to(like.dtype))
        if key_padding_mask is not None:
            rows = key_padding_mask.repeat_interleave(self.num_heads, 0).unsqueeze(1)
            total = total.masked_fill(rows, -torch.inf)
        return total

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        q, k, v = self._project(query, key, value)
        s = torch.baddbmm(self._added(key_padding_mask, attn_mask, q).expand(len(q), q.shape[1], k.shape[1]), q, k.mT, alpha=q.shape[-1] ** -0.5)
        w = F.softmax(s, -1)
        y = torch.bmm(F.dropout(w, self.dropout, self.training), v)
        n, target = query.shape[:2]
        y = self.out_proj(y.transpose(0, 1).reshape(target, n, self.embed_dim)).transpose(0, 1)
        if not need_weights:
            return y, None
        w = w.unflatten(0, (n, self.num_heads))
        return y, w.mean(1) if average_attn_weights else w
