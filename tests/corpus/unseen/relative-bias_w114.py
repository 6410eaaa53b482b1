import numpy as np
import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    ret = 0
    n = -relative_position
    if bidirectional:
        num_buckets //= 2
        ret = ret + (n < 0).to(torch.long) * num_buckets
        n = torch.abs(n)
    else:
        n = torch.clamp(n, min=0)

    max_exact = num_buckets // 2
    is_small = n < max_exact
    val_if_large = max_exact + (
        torch.log(n.clamp(min=1).double() / max_exact)
        / np.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(torch.long)
    val_if_large = torch.clamp(val_if_large, max=num_buckets - 1)
    return ret + torch.where(is_small, n, val_if_large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    context_position = torch.arange(query_length, device=table.device)[:, None]
    context_position = context_position + key_length - query_length
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    rp_bucket = bucket(
        memory_position - context_position,
        bidirectional,
        table.shape[0],
        max_distance,
    )
    values = torch.nn.functional.embedding(rp_bucket, table)
    return values.permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    scores = torch.einsum("bnqd,bnkd->bnqk", query, key)
    position_bias = bias(table, query.size(2), key.size(2), bidirectional)
    if not bidirectional:
        offset = key.size(2) - query.size(2)
        future = torch.ones_like(position_bias[0], dtype=torch.bool).triu(offset + 1)
        position_bias = position_bias.masked_fill(future, float("-inf"))
    scores = scores + position_bias[None]
    attn_weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bnqk,bnkd->bnqd", attn_weights, value)
