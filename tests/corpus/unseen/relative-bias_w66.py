"""Relative bias. Kept from a vision model, where tokens come first: (T, B, H, D) inside."""
import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    side = num_buckets // 2 if bidirectional else num_buckets
    half = side // 2
    dist = relative_position.abs() if bidirectional else relative_position.neg().clamp_min(0)
    coarse = torch.log(dist.clamp_min(half).to(torch.float64) / half)
    coarse = coarse / math.log(max_distance / half) * (side - half)
    coarse = (half + coarse.to(torch.long)).clamp_max(side - 1)
    out = torch.where(dist < half, dist.long(), coarse)
    return out + side * relative_position.gt(0).long() if bidirectional else out


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    s = torch.arange(key_length, device=table.device)
    t = s[-query_length:]
    index = bucket(s - t.unsqueeze(-1), bidirectional, table.size(0), max_distance)
    return torch.einsum("tsh->hts", table[index])


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    q = query.permute(2, 0, 1, 3)
    k = key.permute(2, 0, 1, 3)
    v = value.permute(2, 0, 1, 3)
    T, S = q.size(0), k.size(0)

    energy = torch.einsum("tbhd,sbhd->bhts", q, k)
    energy = energy + bias(table, T, S, bidirectional, max_distance)
    if not bidirectional:
        past = torch.ones(T, S, dtype=torch.bool, device=q.device).tril()
        energy = energy.masked_fill(past.logical_not(), float("-inf"))
    prob = energy.softmax(dim=-1)
    return torch.einsum("bhts,sbhv->tbhv", prob, v).permute(1, 2, 0, 3)
