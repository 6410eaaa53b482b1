import math

import torch
from torch import Tensor


def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32,
           max_distance: int = 128) -> Tensor:
    per_side = num_buckets // 2 if bidirectional else num_buckets
    exact = per_side // 2
    rel = relative_position.long()
    if bidirectional:
        offset = torch.where(rel > 0, per_side, 0)
        dist = rel.abs()
    else:
        offset = torch.zeros_like(rel)
        dist = torch.relu(-rel)
    scaled = torch.log(dist.clamp(min=exact).double() / exact) / math.log(max_distance / exact)
    far = exact + (scaled * (per_side - exact)).floor().long()
    far = torch.minimum(far, torch.full_like(far, num_buckets - 1))
    inner = torch.where(dist < exact, dist, far)
    return (offset + inner).clamp(max=num_buckets - 1)


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True,
         max_distance: int = 128) -> Tensor:
    k = torch.arange(key_length, device=table.device)
    q = k[-query_length:]
    idx = bucket(k - q[:, None], bidirectional, table.size(0), max_distance)
    return torch.stack([column[idx] for column in table.unbind(1)])


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor,
              bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    nq, nk = query.size(-2), key.size(-2)
    logits = torch.matmul(query, key.mT) + bias(table, nq, nk, bidirectional, max_distance)
    if not bidirectional:
        neg = torch.full((nq, nk), float('-inf'), dtype=logits.dtype, device=logits.device)
        logits = logits + neg.triu(nk - nq + 1)
    return torch.matmul(torch.softmax(logits, -1), value)
