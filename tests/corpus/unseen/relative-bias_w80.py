import math

import torch
import torch.nn.functional as F


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    behind = -relative_position
    offset = 0
    n = num_buckets
    if bidirectional:
        n = num_buckets // 2
        offset = torch.where(behind < 0, n, 0)
        behind = behind.abs()
    else:
        behind = torch.clamp(behind, min=0)
    m = n // 2
    ratio = torch.log(torch.clamp(behind, min=m).to(torch.float64) / m) / math.log(max_distance / m)
    log_bucket = torch.clamp(m + (ratio * (n - m)).to(torch.int64), max=n - 1)
    return offset + torch.where(behind < m, behind, log_bucket)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    keys = torch.arange(key_length, device=table.device)
    if query_length == 1:
        # decoding: one row is enough
        relative = -keys[None, :]
    else:
        queries = torch.arange(key_length - query_length, key_length, device=table.device)
        relative = keys[None, :] - queries[:, None]
    which = bucket(relative, bidirectional, table.shape[0], max_distance)
    return F.embedding(which, table).permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    n, m = query.shape[-2], key.shape[-2]
    logits = torch.einsum("bhnd,bhmd->bhnm", query, key)
    logits = logits + bias(table, n, m, bidirectional, max_distance)
    if not bidirectional:
        keep = torch.ones(n, m, device=query.device).tril(m - n)
        logits = logits.masked_fill(keep == 0, float("-inf"))
    return torch.einsum("bhnm,bhmv->bhnv", F.softmax(logits, dim=-1), value)
