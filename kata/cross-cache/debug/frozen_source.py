from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Source:
    """What a decoder keeps of one encoder output."""

    keys: Tensor
    values: Tensor
    bias: Tensor


class EncoderDecoderAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.to_q = nn.Linear(d_model, d_model, bias=False)
        self.to_kv = nn.Linear(d_model, 2 * d_model, bias=False)
        self.to_out = nn.Linear(d_model, d_model, bias=False)

    def split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.n_heads, -1)).movedim(2, 1)

    def encode(self, encoded: Tensor, lengths: Tensor) -> Source:
        keys, values = self.to_kv(encoded).chunk(2, dim=-1)
        steps = torch.arange(encoded.size(1), device=encoded.device)
        padding = steps.unsqueeze(0) >= lengths.unsqueeze(1)
        bias = torch.zeros(padding.shape, dtype=encoded.dtype, device=encoded.device)
        bias = bias.masked_fill(padding, float("-inf"))
        return Source(self.split(keys), self.split(values), bias[:, None, None, :])

    def forward(
        self, x: Tensor, encoded: Tensor, lengths: Tensor, cache: Source | None = None
    ) -> tuple[Tensor, Source]:
        source = self.encode(encoded, lengths) if cache is None else cache
        queries = self.split(self.to_q(x))
        scores = queries @ source.keys.mT / queries.size(-1) ** 0.5
        weights = F.softmax(scores + source.bias, dim=-1)
        mixed = weights @ source.values
        return self.to_out(mixed.movedim(1, 2).flatten(2)), source
