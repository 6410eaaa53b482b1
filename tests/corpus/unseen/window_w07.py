from __future__ import annotations

import math

import torch
from torch import Tensor

BLOCK = 64


def _local_mask(q_pos: Tensor, k_pos: Tensor, window: int) -> Tensor:
    delta = q_pos.unsqueeze(-1) - k_pos.unsqueeze(-2)
    return delta.ge(0).logical_and(delta.lt(window))


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Longformer's sliding chunks: each block of queries looks at itself and its left neighbour."""
    length, head_dim = query.shape[-2:]
    in_dtype = query.dtype
    if in_dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    position = torch.arange(length, device=query.device)
    output = torch.zeros_like(value)

    for start in range(0, length, BLOCK):
        stop = min(start + BLOCK, length)
        left = max(0, start - BLOCK)
        rows, cols = slice(start, stop), slice(left, stop)
        scores = query[..., rows, :] @ key[..., cols, :].transpose(-1, -2)
        scores = scores / math.sqrt(head_dim)
        mask = _local_mask(position[rows], position[cols], window)
        probs = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
        output[..., rows, :] = probs @ value[..., cols, :]
    return output.to(in_dtype)
