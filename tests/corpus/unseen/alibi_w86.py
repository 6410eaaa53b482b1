# attn-kata: alibi
import math
import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    n = 2 ** int(math.log2(heads))
    exps = [-8 * i / n for i in range(1, n + 1)]
    if n < heads:
        exps += [-8 * i / (2 * n) for i in range(1, 2 * n + 1, 2)][: heads - n]
    return torch.tensor([2.0 ** e for e in exps])


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    q = torch.arange(query_length) + key_length - query_length
    k = torch.arange(key_length)
    dist = (q[:, None] - k[None, :]).float()
    out = -dist * slopes(heads).view(heads, 1, 1)
    return torch.where(dist >= 0, out, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    b, h, n, d = query.shape
    scores = torch.einsum("bhid,bhjd->bhij", query, key)
    extra = bias(h, n, key.shape[2]).to(scores.device, scores.dtype)
    scores = (scores + extra) / math.sqrt(d)
    return torch.einsum("bhij,bhje->bhie", scores.softmax(dim=-1), value)
