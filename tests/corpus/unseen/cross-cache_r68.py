from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True, eq=False)
class EncoderSide:
    """What the decoder needs of the encoder: scaled transposed keys, values, a bias for padding."""

    keys_t: Tensor      # (batch, heads, head_dim, memory_length), divided by sqrt(head_dim)
    values: Tensor      # (batch, heads, memory_length, head_dim)
    bias: Tensor        # (batch, 1, 1, memory_length), 0 or -inf


class MultiHeadProjection(nn.Module):
    """(…, hidden) -> heads; weight (hidden, roles, head_dim, heads)"""

    def __init__(self, hidden: int, roles: int, heads: int) -> None:
        super().__init__()
        d = hidden // heads
        self.weight = nn.Parameter(torch.randn(hidden, roles, d, heads) / hidden**0.5)
        self.offset = nn.Parameter(torch.zeros(roles, heads, 1, d))

    def forward(self, t: Tensor) -> Tensor:
        return torch.einsum("bnc,crdh->rbhnd", t, self.weight) + self.offset.unsqueeze(1)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.from_decoder = MultiHeadProjection(hidden_dim, 1, num_heads)
        self.from_encoder = MultiHeadProjection(hidden_dim, 2, num_heads)
        self.combine = nn.Parameter(torch.randn(num_heads, hidden_dim // num_heads, hidden_dim) / hidden_dim**0.5)

    def encode(self, memory: Tensor, memory_lengths: Tensor) -> EncoderSide:
        values, keys = self.from_encoder(memory)
        counts = torch.arange(1, memory.shape[1] + 1, device=memory.device)
        real = counts <= memory_lengths.to(memory.device).reshape(-1, 1)
        bias = memory.new_zeros(real.shape).masked_fill(~real, -torch.inf)
        return EncoderSide(keys.mT / keys.shape[-1] ** 0.5, values, bias[:, None, None, :])

    def forward(
        self, x: Tensor, memory: Optional[Tensor], memory_lengths: Optional[Tensor], cache: Any = None
    ) -> tuple[Tensor, EncoderSide]:
        side = cache if isinstance(cache, EncoderSide) else self.encode(memory, memory_lengths)
        (queries,) = self.from_decoder(x)
        logits = queries @ side.keys_t + side.bias
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        weights = torch.exp(logits - logits.logsumexp(dim=-1, keepdim=True)).type_as(x)
        mixed = weights @ side.values
        return torch.einsum("bhnd,hdc->bnc", mixed, self.combine), side
