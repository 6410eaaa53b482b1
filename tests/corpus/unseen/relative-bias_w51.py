import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    ret = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        ret = ret + (relative_position > 0).to(ret.dtype) * num_buckets
        n = relative_position.abs()
    else:
        n = (-relative_position).clamp(min=0)
    max_exact = num_buckets // 2
    large = max_exact + (
        torch.log(n.double().clamp(min=1) / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
    ).to(n.dtype)
    large = large.clamp(max=num_buckets - 1)
    return ret + torch.where(n < max_exact, n, large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    q = torch.arange(key_length - query_length, key_length, device=table.device)
    k = torch.arange(key_length, device=table.device)
    index = bucket(k[None, :] - q[:, None], bidirectional=bidirectional, max_distance=max_distance)
    return table[index].permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    Tq, Tk = query.size(2), key.size(2)
    scores = query @ key.transpose(-1, -2)
    scores = scores + bias(table, Tq, Tk, bidirectional, max_distance)
    if not bidirectional:
        causal = torch.ones(Tq, Tk, dtype=torch.bool, device=query.device).tril(Tk - Tq)
        scores = scores.masked_fill(~causal, float("-inf"))
    return scores.softmax(dim=-1) @ value
