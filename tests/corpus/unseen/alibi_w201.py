# attn-kata: alibi
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class TensorOptions:
    """dtype and device in one place, so that nothing has to be moved afterwards."""

    dtype: torch.dtype = torch.float32
    device: torch.device = torch.device("cpu")

    @classmethod
    def of(cls, tensor: Tensor) -> TensorOptions:
        return cls(tensor.dtype, tensor.device)

    @property
    def kwargs(self) -> dict[str, Any]:
        return {"dtype": self.dtype, "device": self.device}


def _slopes(heads: int, options: TensorOptions) -> Tensor:
    floor = 2 ** math.floor(math.log2(heads))
    values = [2 ** (-8 * (i + 1) / floor) for i in range(floor)]
    values += [2 ** (-4 * (2 * i + 1) / floor) for i in range(heads - floor)]
    return torch.tensor(values, **options.kwargs)


def _bias(heads: int, query_length: int, key_length: int, options: TensorOptions) -> Tensor:
    key_positions = torch.arange(key_length, **options.kwargs)
    query_positions = key_positions[key_length - query_length :]
    relative = key_positions[None, :] - query_positions[:, None]
    later = torch.ones(query_length, key_length, dtype=torch.bool, device=options.device)
    later = later.triu(key_length - query_length + 1)
    penalty = _slopes(heads, options)[:, None, None] * relative
    return penalty.masked_fill(later, float("-inf"))


def slopes(heads: int) -> Tensor:
    return _slopes(heads, TensorOptions())


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return _bias(heads, query_length, key_length, TensorOptions())


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    heads, query_length, head_dim = query.shape[1:]
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(head_dim)
    scores = scores + _bias(heads, query_length, key.size(2), TensorOptions.of(scores))
    return torch.einsum("bhqk,bhkv->bhqv", scores.softmax(dim=-1), value)
