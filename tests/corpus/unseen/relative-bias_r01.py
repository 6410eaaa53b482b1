import math

import torch
from torch import Tensor


def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    rel = relative_position.long()
    offset = torch.zeros_like(rel)
    n = num_buckets
    if bidirectional:
        n = num_buckets // 2
        offset = (rel > 0).long() * n
        dist = rel.abs()
    else:
        dist = (-rel).clamp(min=0)

    m = n // 2
    # clamp so that the log has no 0; those places are taken from dist itself
    ratio = torch.log(dist.clamp(min=m).double() / m) / math.log(max_distance / m)
    far = (m + (ratio * (n - m)).long()).clamp(max=n - 1)
    return offset + torch.where(dist < m, dist, far)


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    q_pos = torch.arange(key_length - query_length, key_length, device=table.device)
    k_pos = torch.arange(key_length, device=table.device)
    idx = bucket(k_pos[None, :] - q_pos[:, None], bidirectional, table.shape[0], max_distance)
    return table[idx].permute(2, 0, 1)


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    Tq, Tk = query.shape[2], key.shape[2]
    scores = query.to(wide) @ key.to(wide).transpose(-2, -1)
    scores = scores + bias(table, Tq, Tk, bidirectional, max_distance).to(wide)
    if not bidirectional:
        future = torch.ones(Tq, Tk, dtype=torch.bool, device=query.device).triu(Tk - Tq + 1)
        scores = scores.masked_fill(future, float("-inf"))
    return (scores.softmax(-1) @ value.to(wide)).to(query.dtype)
