from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Running:
    peak: Tensor
    denominator: Tensor
    numerator: Tensor

    @classmethod
    def start(cls, query: Tensor) -> "Running":
        column = query[..., :1]
        return cls(
            torch.full_like(column, torch.finfo(query.dtype).min),
            torch.zeros_like(column),
            torch.zeros_like(query),
        )

    def absorb(self, scores: Tensor, values: Tensor) -> None:
        tile_peak = scores.amax(dim=-1, keepdim=True)
        self.peak = torch.maximum(self.peak, tile_peak)
        old_share = torch.exp(self.peak - torch.maximum(self.peak, tile_peak))
        shares = torch.exp(scores - self.peak)
        self.denominator = self.denominator * old_share + shares.sum(dim=-1, keepdim=True)
        self.numerator = self.numerator * old_share + torch.matmul(shares, values)

    def finish(self) -> Tensor:
        return self.numerator / self.denominator


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, head_dim = query.shape[-2:]
    running = Running.start(query)
    query_position = torch.arange(length, device=query.device).unsqueeze(-1)
    for start in range(0, length, block_size):
        stop = min(start + block_size, length)
        scores = torch.matmul(query, key[..., start:stop, :].mT) / math.sqrt(head_dim)
        if causal:
            key_position = torch.arange(start, stop, device=query.device)
            scores = scores.masked_fill(key_position > query_position, float("-inf"))
        running.absorb(scores, value[..., start:stop, :])
    return running.finish()
