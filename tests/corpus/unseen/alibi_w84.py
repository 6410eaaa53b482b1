import math
import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    def powers(n: int) -> Tensor:
        return torch.tensor([2.0 ** (-8.0 * (i + 1) / n) for i in range(n)])

    n = 2 ** int(math.log2(heads))
    if n == heads:
        return powers(heads)
    rest = powers(2 * n)[::2][: heads - n]
    return torch.cat(powers(n), rest)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    offset = key_length - query_length
    distance = (torch.arange(query_length) + offset).unsqueeze(1) - torch.arange(key_length).unsqueeze(0)
    penalty = slopes(heads).view(heads, 1, 1) * distance
    return torch.where(distance < 0, torch.tensor(float("-inf")), -penalty)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    _, heads, query_length, head_dim = query.shape
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(head_dim)
    scores = scores + bias(heads, query_length, key.shape[-2]).to(scores)
    return torch.matmul(scores.softmax(dim=-1), value)
