import math
import torch
from torch import Tensor


def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    rel = relative_position
    if bidirectional:
        n = num_buckets // 2
        base = torch.where(rel > 0, n, 0)
        dist = rel.abs()
    else:
        n = num_buckets
        base = torch.zeros_like(rel)
        dist = (-rel).clamp(min=0)
    exact = n // 2
    far = torch.log(dist.clamp(min=exact).double() / exact) / math.log(max_distance / exact) * (n - exact)
    far = (exact + far.floor().long()).clamp(max=n - 1)
    return base + torch.where(dist < exact, dist, far)


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    k = torch.arange(key_length, device=table.device)
    q = k[key_length - query_length:]
    buckets = bucket(k[None, :] - q[:, None], bidirectional, table.size(0), max_distance)
    return table.t()[:, buckets]


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True,
              max_distance: int = 128) -> Tensor:
    tq, tk, d = query.size(2), key.size(2), query.size(3)
    logits = query @ key.mT / math.sqrt(d)
    logits = logits + bias(table, tq, tk, bidirectional, max_distance)
    if not bidirectional:
        future = torch.ones(tq, tk, dtype=torch.bool, device=query.device).triu(1 + tk - tq)
        logits = logits.masked_fill(future, -torch.inf)
    return torch.softmax(logits, dim=-1) @ value
