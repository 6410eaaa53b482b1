"""nn.MultiheadAttention by hand: one ParameterDict per head, the bias as one more row of each matrix."""
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def _one(x: Tensor) -> Tensor:
    """homogeneous coordinates: the last row of a matrix is its bias"""
    return F.pad(x, (0, 1), value=1.0)


class _Head(nn.ParameterDict):
    KINDS = ("query", "key", "value")

    def __init__(self, embed_dim: int, head_dim: int) -> None:
        super().__init__()
        for kind in self.KINDS:
            w = torch.empty(embed_dim + 1, head_dim)
            nn.init.normal_(w, std=embed_dim**-0.5)
            self[kind] = nn.Parameter(w)


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, **factory_kwargs) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.rate = dropout
        self.lift = _one if bias else (lambda x: F.pad(x, (0, 1)))
        self.heads = nn.ModuleList(_Head(embed_dim, embed_dim // num_heads) for _ in range(num_heads))
        self.out = nn.ParameterList(
            nn.Parameter(torch.randn(embed_dim // num_heads, embed_dim) / math.sqrt(embed_dim)) for _ in range(num_heads)
        )
        self.out_bias = nn.Parameter(torch.zeros(embed_dim)) if bias else 0.0
        self.to(**factory_kwargs)

    @staticmethod
    def _additive(mask: Tensor | None, like: Tensor) -> Tensor | None:
        if mask is None or mask.dtype is not torch.bool:
            return mask
        return torch.zeros(mask.shape, dtype=like.dtype, device=like.device).masked_fill(mask, -torch.inf)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):  # fmt: skip
        batch, count = query.shape[0], len(self.heads)
        added = self._additive(attn_mask, query)
        padded = self._additive(key_padding_mask, query)
        q, k, v = self.lift(query), self.lift(key), self.lift(value)
        output, kept = self.out_bias, []
        for h, (head, merge) in enumerate(zip(self.heads, self.out)):
            s = (q @ head["query"]) @ (k @ head["key"]).mT
            s = s / math.sqrt(merge.shape[0])
            if added is not None:
                # entry b * heads + h: every count-th from the h-th on
                s = s + (added if added.dim() == 2 else added[h::count])
            if padded is not None:
                s = s + padded[:, None, :]
            w = s.softmax(-1)
            w = F.dropout(w, self.rate, self.training)
            kept.append(w)
            output = output + w @ (v @ head["value"]) @ merge
        if not need_weights:
            return output, None
        weights = torch.stack(kept, dim=1)
        return output, weights.mean(1) if average_attn_weights else weights
