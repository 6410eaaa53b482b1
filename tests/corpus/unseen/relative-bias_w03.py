import math

import torch
from torch import Tensor


def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    ret = torch.zeros_like(relative_position)
    n = -relative_position
    if bidirectional:
        num_buckets //= 2
        ret = ret + (n < 0).to(ret.dtype) * num_buckets
        n = torch.abs(n)
    else:
        n = torch.maximum(n, torch.zeros_like(n))
    max_exact = num_buckets // 2
    val_if_large = max_exact + (
        torch.log(n.float().clamp(min=1) / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
    ).to(n.dtype)
    val_if_large = val_if_large.clamp(max=num_buckets - 1)
    return ret + torch.where(n < max_exact, n, val_if_large)


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    ctx = torch.arange(key_length - query_length, key_length, device=table.device).unsqueeze(1)
    mem = torch.arange(key_length, device=table.device).unsqueeze(0)
    idx = bucket(mem - ctx, bidirectional=bidirectional, num_buckets=table.size(0), max_distance=max_distance)
    return table[idx].permute(2, 0, 1)


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    t, s = query.size(2), key.size(2)
    scores = torch.einsum("bnqd,bnkd->bnqk", query, key)
    scores = scores + bias(table, t, s, bidirectional=bidirectional)
    if not bidirectional:
        visible = torch.ones(t, s, device=query.device, dtype=torch.bool).tril(s - t)
        scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bnqk,bnkd->bnqd", weights, value)
