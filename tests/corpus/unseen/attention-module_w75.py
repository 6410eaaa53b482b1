from __future__ import annotations

import torch
from torch import Tensor, nn


class _Head(nn.Module):
    def __init__(self, width: int, head_dim: int, bias: bool) -> None:
        super().__init__()
        self.q = nn.Linear(width, head_dim, bias)
        self.k = nn.Linear(width, head_dim, bias)
        self.v = nn.Linear(width, head_dim, bias)
        self.scale = head_dim ** -0.5

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        return torch.einsum("btd,bsd->bts", self.q(query) * self.scale, self.k(key))


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            _Head(embed_dim, embed_dim // num_heads, bias) for _ in range(num_heads)
        )
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(embed_dim, embed_dim, bias)

    @staticmethod
    def _blocked(h: int, n: int, pad: Tensor | None, mask: Tensor | None) -> Tensor | None:
        """True = hidden, for head h; broadcastable to (batch, target, source)."""
        rows = None if pad is None else pad.unsqueeze(1)
        if mask is None or mask.dtype != torch.bool:
            return rows
        if mask.dim() == 3:
            mask = mask[h::n]
        return mask if rows is None else rows & mask

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        n = len(self.heads)
        contexts, maps = [], []
        for h, head in enumerate(self.heads):
            s = head.scores(query, key)
            if attn_mask is not None and attn_mask.dtype != torch.bool:
                s = s + (attn_mask[h::n] if attn_mask.dim() == 3 else attn_mask)
            blocked = self._blocked(h, n, key_padding_mask, attn_mask)
            if blocked is not None:
                s = s.masked_fill(blocked, float("-inf"))
            p = torch.softmax(s, dim=-1)
            maps.append(p)
            contexts.append(self.drop(p) @ head.v(value))
        result = self.out(torch.cat(contexts, dim=-1))
        if not need_weights:
            return result, None
        stacked = torch.stack(maps, dim=1)
        return result, stacked.mean(dim=1) if average_attn_weights else stacked
