import math
import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    ret = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        ret = ret + (relative_position > 0).to(torch.long) * num_buckets
        n = relative_position.abs()
    else:
        n = torch.clamp(-relative_position, min=0)
    max_exact = num_buckets // 2
    is_small = n < max_exact
    val_if_large = max_exact + (
        torch.log(n.clamp(min=1).double() / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
    ).to(torch.long)
    val_if_large = torch.clamp(val_if_large, max=num_buckets - 1)
    return ret + torch.where(is_small, n, val_if_large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    q = torch.arange(key_length - query_length, key_length, device=table.device)[:, None]
    k = torch.arange(key_length, device=table.device)[None, :]
    return table[bucket(k - q, bidirectional, table.shape[0], max_distance)].permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    nq, nk = query.shape[2], key.shape[2]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores + bias(table, nq, nk, bidirectional, max_distance)
    if not bidirectional:
        future = torch.ones(nq, nk, dtype=torch.bool, device=query.device).triu(nk - nq + 1)
        scores = scores.masked_fill(future, float("-inf"))
    return scores.softmax(dim=-1) @ value
