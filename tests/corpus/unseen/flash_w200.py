# attn-kata: flash
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def _pad_to_multiple(t: Tensor, block_size: int) -> Tensor:
    """把长度补齐到 block_size 的整数倍,后面循环里每个 tile 大小都一样。"""
    short = -t.size(2) % block_size
    return F.pad(t, (0, 0, 0, short)) if short else t


def _future(rows: int, lo: int, block_size: int, device: torch.device) -> Tensor:
    """True where the key stands behind the query (padding included)."""
    row = torch.arange(rows, device=device)
    col = torch.arange(lo, lo + block_size, device=device)
    return col.unsqueeze(0) > row.unsqueeze(1)


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, dk = query.shape[2:]
    block_size = min(block_size, length)
    work = torch.float64 if query.dtype == torch.float64 else torch.float32

    q = query.to(work) * dk**-0.5
    k_all = _pad_to_multiple(key, block_size)
    v_all = _pad_to_multiple(value, block_size)
    n_tile = k_all.size(2) // block_size

    running_max = q.new_full((*q.shape[:3], 1), torch.finfo(work).min)
    running_sum = torch.zeros_like(running_max)
    out = torch.zeros_like(q)

    for n in range(n_tile):
        lo = n * block_size
        k = k_all[:, :, lo : lo + block_size].to(work)
        v = v_all[:, :, lo : lo + block_size].to(work)

        s = q @ k.transpose(-1, -2)
        if causal:
            s = s.masked_fill(_future(length, lo, block_size, q.device), -math.inf)

        new_max = torch.maximum(running_max, s.amax(-1, keepdim=True))
        p = torch.exp(s - new_max)
        decay = torch.exp(running_max - new_max)
        running_sum = running_sum * decay + p.sum(-1, keepdim=True)
        out = out * decay + p @ v
        running_max = new_max

    return (out / running_sum).to(query.dtype)
