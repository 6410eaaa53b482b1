# attn-kata: flash
import math

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    batch, heads, length, head_dim = query.shape
    scale = 1.0 / math.sqrt(head_dim)
    row_max = torch.full((batch, heads, length, 1), -math.inf, dtype=query.dtype, device=query.device)
    row_sum = torch.zeros_like(row_max)
    acc = torch.zeros_like(query)
    q_pos = torch.arange(length, device=query.device).unsqueeze(1)

    for start in range(0, length, block_size):
        k_tile = key[:, :, start : start + block_size]
        v_tile = value[:, :, start : start + block_size]
        s = (query @ k_tile.transpose(-1, -2)) * scale
        if causal:
            k_pos = torch.arange(k_tile.shape[2], device=query.device)
            s = s.masked_fill(k_pos > q_pos, -math.inf)
        new_max = torch.maximum(row_max, s.max(dim=-1, keepdim=True).values)
        p = torch.exp(s - new_max)
        correction = torch.exp(row_max - new_max)
        row_sum = row_sum * correction + p.sum(dim=-1, keepdim=True)
        acc = acc * correction + p @ v_tile
        row_max = new_max
    return acc / row_sum
