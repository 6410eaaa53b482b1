# attn-kata: split-k
from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    # step 1: scores in float32 at least
    work = torch.promote_types(query.dtype, torch.float32)
    scores = torch.matmul(query.to(work), key.to(work).transpose(2, 3)) / math.sqrt(query.size(3))
    # step 2: hide the keys that do not count
    hidden = torch.logical_not(seen).unsqueeze(1).unsqueeze(1)
    scores = scores.masked_fill(hidden, -math.inf)
    # step 3: log-sum-exp
    lse = torch.logsumexp(scores, dim=3)
    # step 4: softmax; rows without any key give nan, they become 0
    weights = torch.softmax(scores, dim=3)
    weights = torch.where(torch.isnan(weights), torch.zeros_like(weights), weights)
    output = torch.matmul(weights, value.to(work))
    return output.to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    work = torch.promote_types(lses.dtype, torch.float32)
    biggest = lses.to(work).max(dim=0, keepdim=True)[0]
    # if no chunk has any key, biggest is -inf, and -inf - (-inf) would be nan
    biggest = torch.where(torch.isinf(biggest), torch.zeros_like(biggest), biggest)
    parts = torch.exp(lses.to(work) - biggest)
    total = parts.sum(dim=0, keepdim=True)
    safe_total = torch.where(total == 0, torch.ones_like(total), total)
    merged = ((parts / safe_total).unsqueeze(-1) * outputs.to(work)).sum(dim=0)
    merged_lse = torch.log(total).squeeze(0) + biggest.squeeze(0)
    return merged.to(outputs.dtype), merged_lse.to(lses.dtype)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    work = torch.promote_types(query.dtype, torch.float32)
    key_length = key.size(2)
    chunk_length = math.ceil(key_length / splits)
    outputs = []
    lses = []
    start = 0
    while start < key_length:
        end = min(start + chunk_length, key_length)
        positions = torch.arange(end - start, device=key.device)
        seen = positions.unsqueeze(0) < lengths.to(key.device).unsqueeze(1)
        output, lse = chunk_attention(
            query.to(work), key[:, :, start:end].to(work), value[:, :, start:end].to(work), seen
        )
        outputs.append(output)
        lses.append(lse)
        start = end
    merged, merged_lse = merge(torch.stack(outputs), torch.stack(lses))
    return merged.to(query.dtype)
