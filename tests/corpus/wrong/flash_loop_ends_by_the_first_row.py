# wrong: flash causal-stops-early line 28
from __future__ import annotations

import math

import torch
from torch import Tensor

QUERY_TILE = 32


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    b, h, n, d = query.shape
    work = torch.float64 if query.dtype is torch.float64 else torch.float32
    scale = 1 / math.sqrt(d)
    pieces = []

    for i in range(0, n, QUERY_TILE):
        qi = query[:, :, i : i + QUERY_TILE].to(work) * scale
        r = qi.size(2)
        mi = torch.full((b, h, r, 1), -math.inf, dtype=work, device=query.device)
        li = torch.zeros((b, h, r, 1), dtype=work, device=query.device)
        oi = torch.zeros((b, h, r, d), dtype=work, device=query.device)

        for j in range(0, n, block_size):
            if causal and j > i:
                break  # everything from here on lies in the future
            kj = key[:, :, j : j + block_size].to(work)
            vj = value[:, :, j : j + block_size].to(work)
            sij = torch.matmul(qi, kj.transpose(2, 3))
            if causal:
                qpos = torch.arange(i, i + r, device=query.device)
                kpos = torch.arange(j, j + kj.size(2), device=query.device)
                sij.masked_fill_(kpos > qpos[:, None], -math.inf)
            mnew = torch.maximum(mi, sij.max(-1, keepdim=True).values)
            pij = torch.exp(sij - mnew)
            corr = torch.exp(mi - mnew)
            li = li * corr + pij.sum(-1, keepdim=True)
            oi = oi * corr + torch.matmul(pij, vj)
            mi = mnew
        pieces.append(oi / li)

    return torch.cat(pieces, dim=2).to(query.dtype)
