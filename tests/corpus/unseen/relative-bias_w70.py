import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    ret = torch.zeros_like(relative_position, dtype=torch.int64)
    n = -relative_position
    if bidirectional:
        num_buckets //= 2
        ret += torch.lt(n, 0).to(torch.int64) * num_buckets
        n = torch.abs(n)
    else:
        n = torch.maximum(n, torch.zeros_like(n))
    max_exact = num_buckets // 2
    is_small = torch.lt(n, max_exact)
    val_if_large = max_exact + (
        torch.log(torch.clamp(n, min=1).to(torch.float64) / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(torch.int64)
    val_if_large = torch.minimum(val_if_large, torch.full_like(val_if_large, num_buckets - 1))
    ret += torch.where(is_small, n, val_if_large)
    return ret


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    context_position = torch.arange(query_length, device=table.device)[:, None]
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    relative_position = memory_position - context_position
    rp_bucket = bucket(relative_position, bidirectional, table.shape[0], max_distance)
    values = torch.nn.functional.embedding(rp_bucket, table)
    return torch.permute(values, [2, 0, 1])


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    q_len, k_len = query.shape[2], key.shape[2]
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key)
    logits = logits + bias(table, q_len, k_len, bidirectional, max_distance)[None]
    if not bidirectional:
        band = torch.tril(torch.ones(q_len, k_len, device=query.device), diagonal=k_len - q_len)
        logits = torch.where(band > 0, logits, -math.inf)
    probs = torch.softmax(logits, dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", probs, value)
