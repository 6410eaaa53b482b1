import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    ret = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        ret += (relative_position > 0).long() * num_buckets
        n = relative_position.abs()
    else:
        n = (-relative_position).clamp(min=0)
    exact = num_buckets // 2
    large = exact + (
        torch.log(n.clamp(min=1).double() / exact) / math.log(max_distance / exact) * (num_buckets - exact)
    ).long()
    large = large.clamp(max=num_buckets - 1)
    return ret + torch.where(n < exact, n, large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    q = torch.arange(key_length - query_length, key_length, device=table.device)
    k = torch.arange(key_length, device=table.device)
    b = bucket(k[None, :] - q[:, None], bidirectional, table.shape[0], max_distance)
    return table[b].permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    Tq, Tk = query.shape[2], key.shape[2]
    scores = query @ key.transpose(-1, -2)
    scores = scores + bias(table, Tq, Tk, bidirectional)
    if not bidirectional:
        mask = torch.ones(Tq, Tk, dtype=torch.bool, device=query.device).triu(Tk - Tq + 1)
        scores = scores.masked_fill(mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
