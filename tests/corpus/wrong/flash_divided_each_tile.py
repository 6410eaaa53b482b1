# wrong: flash divided-every-tile line 29
from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, head_dim = query.shape[-2:]
    output = torch.zeros_like(query)
    largest = torch.full_like(query[..., :1], float("-inf"))
    total = torch.zeros_like(largest)
    for start in range(0, length, block_size):
        stop = min(start + block_size, length)
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key[:, :, start:stop]) / math.sqrt(head_dim)
        if causal:
            position = torch.arange(length, device=query.device).unsqueeze(1)
            ahead = torch.arange(start, stop, device=query.device) > position
            scores = scores.masked_fill(ahead, float("-inf"))
        new_largest = torch.maximum(largest, scores.max(dim=-1, keepdim=True).values)
        shrink = torch.exp(largest - new_largest)
        powers = torch.exp(scores - new_largest)
        total = total * shrink + powers.sum(dim=-1, keepdim=True)
        # kept normalised after every tile
        output = (output * shrink + powers @ value[:, :, start:stop]) / total
        largest = new_largest
    return output
