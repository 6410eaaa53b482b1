import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    ret = torch.zeros_like(relative_position)
    n = -relative_position
    if bidirectional:
        num_buckets //= 2
        ret = ret + (n < 0).to(ret.dtype) * num_buckets
        n = n.abs()
    else:
        n = n.clamp(min=0)
    max_exact = num_buckets // 2
    is_small = n < max_exact
    val_if_large = max_exact + (
        torch.log(n.clamp(min=1).double() / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(ret.dtype)
    val_if_large = val_if_large.clamp(max=num_buckets - 1)
    return ret + torch.where(is_small, n, val_if_large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    context_position = torch.arange(key_length - query_length, key_length, device=table.device)[:, None]
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    buckets = bucket(
        memory_position - context_position, bidirectional, table.shape[0], max_distance
    )
    return table[buckets]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    n_q, n_k = query.shape[-2], key.shape[-2]
    scores = torch.matmul(query, key.transpose(-2, -1))
    scores = scores + bias(table, n_q, n_k, bidirectional, max_distance)
    if not bidirectional:
        future = torch.ones(n_q, n_k, dtype=torch.bool, device=query.device).triu(n_k - n_q + 1)
        scores = scores.masked_fill(future, float("-inf"))
    return torch.matmul(scores.softmax(dim=-1), value)
