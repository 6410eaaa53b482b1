from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class OnlineSoftmaxState:
    maximum: Tensor
    total: Tensor
    output: Tensor

    @classmethod
    def initial(cls, query: Tensor) -> OnlineSoftmaxState:
        statistics = query.new_full((*query.shape[:-1], 1), float("-inf"))
        return cls(statistics, torch.zeros_like(statistics), torch.zeros_like(query))

    def update(self, scores: Tensor, value: Tensor) -> None:
        tile_maximum = scores.max(dim=-1, keepdim=True).values
        new_maximum = torch.maximum(self.maximum, tile_maximum)
        probabilities = torch.exp(scores - new_maximum)
        correction = torch.exp(self.maximum - new_maximum)
        self.total = self.total * correction + probabilities.sum(dim=-1, keepdim=True)
        if bool((tile_maximum > self.maximum).all()):
            self.output = self.output * correction
        self.output = self.output + torch.matmul(probabilities, value)
        self.maximum = new_maximum

    def finish(self) -> Tensor:
        return self.output / self.total


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    original_dtype = query.dtype
    if original_dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    length, head_dim = query.shape[-2], query.shape[-1]
    state = OnlineSoftmaxState.initial(query)
    query_positions = torch.arange(length, device=query.device).unsqueeze(1)

    for start in range(0, length, block_size):
        stop = min(start + block_size, length)
        scores = torch.matmul(query, key[..., start:stop, :].transpose(-2, -1)) / head_dim**0.5
        if causal:
            key_positions = torch.arange(start, stop, device=query.device)
            scores = scores.masked_fill(key_positions > query_positions, float("-inf"))
        state.update(scores, value[..., start:stop, :])
    return state.finish().to(original_dtype)
