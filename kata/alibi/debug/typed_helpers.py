from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def _geometric(count: int) -> Tensor:
    """The slopes of a power of two."""
    ratio = 2.0 ** (-8.0 / count)
    return torch.pow(torch.tensor(ratio, dtype=torch.float64), torch.arange(1, count + 1))


def slopes(heads: int) -> Tensor:
    below = 2 ** int(math.log2(heads))
    if below == heads:
        return _geometric(heads)
    extra = _geometric(2 * below)[0::2][: heads - below]
    return torch.cat([_geometric(below), extra])


def _distance(query_length: int, key_length: int) -> Tensor:
    keys = torch.arange(key_length)
    queries = keys[key_length - query_length :]
    return queries.unsqueeze(1) - keys.unsqueeze(0)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    distance = _distance(query_length, key_length)
    penalty = torch.einsum("h,qk->hqk", slopes(heads), distance.double())
    return (-penalty).masked_fill(distance.lt(0), -math.inf)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = torch.matmul(query, key.transpose(-2, -1)).div(math.sqrt(query.size(-1)))
    added = bias(query.size(1), query.size(2), key.size(2)).type_as(scores).to(scores.device)
    return torch.matmul(F.softmax(scores + added, dim=-1), value)
