from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Alibi:
    heads: int

    def slopes(self) -> Tensor:
        lower = 2 ** math.floor(math.log2(self.heads))
        first = torch.pow(2.0, -8.0 * torch.arange(1, lower + 1).float() / lower)
        second = torch.pow(2.0, -8.0 * torch.arange(1, 2 * lower + 1, 2).float() / (2 * lower))
        return torch.cat((first, second[: self.heads - lower]))

    def bias(self, query_length: int, key_length: int) -> Tensor:
        offset = key_length - query_length
        rows = torch.arange(query_length).reshape(1, -1, 1) + offset
        cols = torch.arange(key_length).reshape(1, 1, -1)
        penalty = -self.slopes().reshape(-1, 1, 1) * (rows - cols)
        penalty = penalty.masked_fill(cols > rows, -math.inf)
        return penalty


def slopes(heads: int) -> Tensor:
    return Alibi(heads).slopes()


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return Alibi(heads).bias(query_length, key_length)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    batch, heads, query_length, _ = query.shape
    *_, key_length, width = value.shape
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(width)
    scores = scores + bias(heads, query_length, key_length).to(scores.device, scores.dtype)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
