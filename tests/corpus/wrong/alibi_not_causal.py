# wrong: alibi causal-missing line 17
# fair: causal-missing 15, 16, 17
import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    nearest = 2 ** (heads.bit_length() - 1)
    every = [2 ** (-8 * i / nearest) for i in range(1, nearest + 1)] + [2 ** (-4 * i / nearest) for i in range(1, 2 * nearest, 2)]
    return torch.tensor(every[:heads])


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    """Symmetric, as for an encoder."""
    distance = torch.arange(key_length)[None, :] - torch.arange(key_length - query_length, key_length)[:, None]
    distance = distance.abs()
    return -distance * slopes(heads)[:, None, None]


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.mT * query.size(-1) ** -0.5 + bias(query.size(1), query.size(2), key.size(2)).to(query)
    return scores.softmax(-1) @ value
