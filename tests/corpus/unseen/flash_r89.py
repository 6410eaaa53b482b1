from __future__ import annotations

import math
from typing import Iterator

import torch
from torch import Tensor


def spans(length: int, size: int) -> Iterator[slice]:
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))


def later_keys(rows: slice, cols: slice, device) -> Tensor:
    i = torch.arange(rows.start, rows.stop, device=device)
    j = torch.arange(cols.start, cols.stop, device=device)
    return j.unsqueeze(0) > i.unsqueeze(1)


@torch.no_grad()
def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    length, width = query.shape[-2:]
    work = torch.promote_types(query.dtype, torch.float32)
    output = torch.empty_like(query)
    for rows in spans(length, block_size):
        q = query[:, :, rows].to(work) / math.sqrt(width)
        lse = torch.full(q.shape[:-1], -math.inf, dtype=work, device=q.device)
        out = torch.zeros_like(q)
        for cols in spans(length, block_size):
            if causal and cols.start > rows.start:
                break
            s = q @ key[:, :, cols].to(work).transpose(-1, -2)
            if causal:
                s = s.masked_fill(later_keys(rows, cols, s.device), -math.inf)
            tile = s.logsumexp(-1)
            new = torch.logaddexp(lse, tile)
            p = torch.exp(s - new.unsqueeze(-1))
            out = out * torch.exp(lse - new).unsqueeze(-1) + p @ value[:, :, cols].to(work)
            lse = new
        output[:, :, rows] = out.to(query.dtype)
    return output
