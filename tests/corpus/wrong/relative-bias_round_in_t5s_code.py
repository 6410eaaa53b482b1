# wrong: relative-bias bucket-rounded line 20
import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    ret = 0
    n = -relative_position
    if bidirectional:
        num_buckets = num_buckets // 2
        ret = ret + (n < 0).to(torch.long) * num_buckets
        n = torch.abs(n)
    else:
        n = torch.max(n, torch.zeros_like(n))

    max_exact = num_buckets // 2
    is_small = n < max_exact
    val_if_large = torch.log(n.float().clamp(min=1) / max_exact) / math.log(max_distance / max_exact)
    val_if_large = max_exact + torch.round(val_if_large * (num_buckets - max_exact)).to(torch.long)
    val_if_large = torch.min(val_if_large, torch.full_like(val_if_large, num_buckets - 1))
    return ret + torch.where(is_small, n, val_if_large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    context_position = torch.arange(key_length, device=table.device)[-query_length:, None]
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    rp_bucket = bucket(memory_position - context_position, bidirectional, table.shape[0], max_distance)
    values = torch.nn.functional.embedding(rp_bucket, table)
    return values.permute([2, 0, 1])


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    qlen, klen = query.shape[2], key.shape[2]
    scores = torch.einsum("bnqd,bnkd->bnqk", query, key)
    scores = scores + bias(table, qlen, klen, bidirectional, max_distance).unsqueeze(0)
    if not bidirectional:
        causal = torch.ones(qlen, klen, dtype=torch.bool, device=scores.device).tril(klen - qlen)
        scores = scores.masked_fill(~causal, float("-inf"))
    return torch.einsum("bnqk,bnke->bnqe", torch.softmax(scores, dim=-1), value)
