from __future__ import annotations

import math
from typing import Iterator, NamedTuple

import torch
from torch import Tensor


class Tile(NamedTuple):
    first: int
    key: Tensor
    value: Tensor


class Running(NamedTuple):
    peak: Tensor
    total: Tensor
    output: Tensor


def tiles(key: Tensor, value: Tensor, block_size: int) -> Iterator[Tile]:
    number = math.ceil(key.size(2) / block_size)
    for i, (k, v) in enumerate(zip(key.chunk(number, dim=2), value.chunk(number, dim=2))):
        yield Tile(i * block_size, k, v)


def advance(state: Running, query: Tensor, tile: Tile, causal: bool) -> Running:
    scores = torch.matmul(query, tile.key.transpose(2, 3))
    if causal:
        rows = torch.arange(query.size(2), device=query.device).unsqueeze(1)
        columns = tile.first + torch.arange(tile.key.size(2), device=query.device)
        scores = scores.masked_fill(columns > rows, -math.inf)
    peak = torch.maximum(state.peak, scores.max(dim=-1, keepdim=True).values)
    weights = torch.exp(scores - peak)
    shrink = torch.exp(state.peak - peak)
    return Running(
        peak,
        shrink * state.total + weights.sum(dim=-1, keepdim=True),
        shrink * state.output + torch.matmul(weights, tile.value),
    )


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    query = query / math.sqrt(query.size(-1))
    column = query[..., :1]
    state = Running(
        torch.full_like(column, -math.inf), torch.zeros_like(column), torch.zeros_like(value)
    )
    for tile in tiles(key, value, block_size):
        state = advance(state, query, tile, causal)
    return (state.output / state.total).to(dtype)
