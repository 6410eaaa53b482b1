from __future__ import annotations

import math

import torch
from torch import Tensor


def slots_of(block_table: Tensor, block_size: int) -> Tensor:
    positions = torch.arange(block_table.size(1) * block_size, device=block_table.device)
    numbers = block_table[:, positions // block_size]
    return numbers * block_size + positions % block_size


def read(pool: Tensor, slots: Tensor, times: int) -> Tensor:
    rows = pool.flatten(0, 1)[slots]
    return rows.repeat_interleave(times, dim=2)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    block_size = key_pool.size(1)
    times = query.size(1) // key_pool.size(2)
    slots = slots_of(block_table, block_size)
    keys = read(key_pool, slots, times)
    values = read(value_pool, slots, times)
    scores = torch.einsum("bhd,bthd->bht", query, keys) / math.sqrt(query.size(2))
    tokens = torch.arange(slots.size(1), device=query.device)
    beyond = tokens >= lengths.unsqueeze(1)
    scores = scores.masked_fill(beyond.unsqueeze(1), float("-inf"))
    weights = scores.softmax(dim=-1)
    return torch.einsum("bht,bthd->bhd", weights, values)
