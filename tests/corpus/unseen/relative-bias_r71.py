import math

import torch
from torch.nn import functional as F


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    r = relative_position.to(torch.int64)
    match bidirectional:
        case True:
            half = num_buckets // 2
            # one direction with half of the buckets, twice
            behind = bucket(r.clamp(max=0), False, half, max_distance)
            ahead = bucket(-r.clamp(min=0), False, half, max_distance) + half
            return torch.where(r > 0, ahead, behind)
        case _:
            m = num_buckets // 2
            d = torch.relu(-r)
            grade = torch.log(d.clamp(min=m).double() / m) / math.log(max_distance / m)
            wide = torch.floor(grade * (num_buckets - m)).to(r.dtype) + m
            return torch.minimum(torch.where(d < m, d, wide), torch.full_like(d, num_buckets - 1))


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    buckets, heads = table.shape
    own = torch.arange(key_length, device=table.device)[-query_length:]
    r = torch.arange(key_length, device=table.device) - own.unsqueeze(1)
    picked = F.one_hot(bucket(r, bool(bidirectional), buckets, max_distance), buckets).to(table.dtype)
    return torch.einsum("qkn,nh->hqk", picked, table)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    (*_, tq, _), tk = query.shape, key.shape[-2]
    b = bias(table, tq, tk, bidirectional, max_distance)
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key) + b
    if not bidirectional:
        r = torch.arange(tk, device=query.device) - torch.arange(tk - tq, tk, device=query.device)[:, None]
        logits = logits.where(r <= 0, float("-inf"))
    w = F.softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim=-1)
    return torch.einsum("bhqk,bhke->bhqe", w.to(value.dtype), value)
