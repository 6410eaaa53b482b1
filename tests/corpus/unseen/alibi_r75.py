from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor


def _stream(heads: int) -> Iterator[float]:
    """The authors' rule, one slope after the other."""
    if heads & (heads - 1) == 0:
        yield from (2.0 ** (-8.0 * i / heads) for i in range(1, heads + 1))
        return
    lower = 1 << (heads.bit_length() - 1)
    yield from _stream(lower)
    yield from itertools.islice(_stream(2 * lower), 0, 2 * (heads - lower), 2)


@functools.cache
def _slope_tuple(heads: int) -> tuple[float, ...]:
    return tuple(_stream(heads))


def slopes(heads: int) -> Tensor:
    return torch.tensor(_slope_tuple(heads), dtype=torch.float64)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    position = np.arange(key_length)
    ahead = position[None, :] - position[key_length - query_length :, None]  # key minus query
    table = np.where(ahead > 0, -np.inf, ahead.astype(np.float64))
    return slopes(heads).view(-1, 1, 1) * torch.from_numpy(table)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    added = bias(query.size(1), query.size(2), key.size(2))
    return (scores + added.to(scores)).softmax(dim=-1) @ value
