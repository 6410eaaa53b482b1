# wrong: relative-bias bucket-default-used line 44
from __future__ import annotations

import math

import torch
from torch import Tensor


def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32,
           max_distance: int = 128) -> Tensor:
    ret = 0
    n = -relative_position
    if bidirectional:
        num_buckets //= 2
        ret += (n < 0).to(torch.long) * num_buckets
        n = torch.abs(n)
    else:
        n = torch.max(n, torch.zeros_like(n))
    max_exact = num_buckets // 2
    is_small = n < max_exact
    val_if_large = max_exact + (
        torch.log(n.to(torch.float32).clamp(min=1) / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(torch.long)
    val_if_large = torch.min(val_if_large, torch.full_like(val_if_large, num_buckets - 1))
    ret += torch.where(is_small, n, val_if_large)
    return ret


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True,
         max_distance: int = 128) -> Tensor:
    context_position = torch.arange(query_length, device=table.device)[:, None] + (key_length - query_length)
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    rp_bucket = bucket(memory_position - context_position, bidirectional=bidirectional,
                       num_buckets=table.size(0), max_distance=max_distance)
    return torch.nn.functional.embedding(rp_bucket, table).permute(2, 0, 1)


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True,
              max_distance: int = 128) -> Tensor:
    q_len, k_len = query.size(-2), key.size(-2)
    position_bias = bias(table, q_len, k_len, bidirectional=bidirectional)
    if not bidirectional:
        causal = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device).tril(k_len - q_len)
        position_bias = position_bias.masked_fill(~causal, float("-inf"))
    acc = torch.promote_types(torch.float32, query.dtype)
    scores = torch.matmul(query.to(acc), key.to(acc).transpose(3, 2))
    scores = scores + position_bias.to(acc).unsqueeze(0)
    attn_weights = torch.softmax(scores, dim=-1).type_as(value)
    return torch.matmul(attn_weights, value)
