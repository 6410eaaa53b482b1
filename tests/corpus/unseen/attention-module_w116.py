from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class Sizes(NamedTuple):
    batch: int
    heads: int
    target: int
    source: int


class MaskJoiner:
    """Makes one additive mask, four axes, of the two that may be given."""

    def __init__(self, sizes: Sizes, like: Tensor) -> None:
        self.sizes = sizes
        self.like = like

    def additive(self, mask: Tensor) -> Tensor:
        if mask.dtype != torch.bool:
            return mask
        zeros = torch.zeros(mask.shape, dtype=self.like.dtype, device=mask.device)
        return zeros.masked_fill(mask, float("-inf"))

    def from_attn_mask(self, mask: Tensor) -> Tensor:
        if mask.ndim == 2:
            return self.additive(mask)[None, None]
        # (batch * heads, target, source)
        return self.additive(mask).view(self.sizes.batch, self.sizes.heads, *[self.sizes.target] * 2)

    def from_key_padding_mask(self, mask: Tensor) -> Tensor:
        return self.additive(mask)[:, None, None, :]

    def join(self, padding: Optional[Tensor], attn: Optional[Tensor]) -> Optional[Tensor]:
        joined = None
        if attn is not None:
            joined = self.from_attn_mask(attn)
        if padding is not None:
            part = self.from_key_padding_mask(padding)
            joined = part if joined is None else joined + part
        return joined


class MultiheadAttention(nn.Module):
    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        self.num_heads: int = num_heads
        self.head_dim: int = embed_dim // num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).movedim(-2, 1)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Optional[Tensor] = None,
        need_weights: bool = True,
        attn_mask: Optional[Tensor] = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Optional[Tensor]]:
        q = self._heads(self.q_proj(query))
        k = self._heads(self.k_proj(key))
        v = self._heads(self.v_proj(value))
        sizes = Sizes(len(query), self.num_heads, query.size(1), key.size(1))
        mask = MaskJoiner(sizes, like=q).join(key_padding_mask, attn_mask)

        scores = torch.einsum("nhtd,nhsd->nhts", q, k) / self.head_dim**0.5
        if mask is not None:
            scores = scores + mask
        weights = scores.softmax(dim=-1)
        context = torch.einsum("nhts,nhsd->nthd", self.dropout(weights), v)
        output = self.out_proj(context.flatten(-2))

        returned: Optional[Tensor] = None
        if need_weights:
            returned = weights.mean(dim=1) if average_attn_weights else weights
        return output, returned
