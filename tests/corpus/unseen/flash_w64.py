from __future__ import annotations

import math

import torch
from torch import Tensor

Q_TILE = 32  # rows per tile of queries; keys come in tiles of block_size


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    nb, nh, n, d = query.shape
    scale = 1.0 / math.sqrt(d)
    out = torch.empty_like(query)
    n_q_tiles = (n + Q_TILE - 1) // Q_TILE
    n_k_tiles = (n + block_size - 1) // block_size

    for i in range(n_q_tiles):
        q_lo, q_hi = i * Q_TILE, min((i + 1) * Q_TILE, n)
        q = query[:, :, q_lo:q_hi] * scale
        rows = torch.arange(q_lo, q_hi, device=q.device).view(-1, 1)

        m = q.new_full((nb, nh, q_hi - q_lo, 1), torch.finfo(q.dtype).min)
        l = q.new_zeros((nb, nh, q_hi - q_lo, 1))
        o = torch.zeros_like(q)
        for j in range(n_k_tiles):
            if causal and j > i:
                break  # all keys from here on lie ahead
            k_lo, k_hi = j * block_size, min((j + 1) * block_size, n)
            s = torch.matmul(q, key[:, :, k_lo:k_hi].transpose(2, 3))
            if causal:
                cols = torch.arange(k_lo, k_hi, device=q.device).view(1, -1)
                s = s.masked_fill(cols > rows, -math.inf)
            m_new = torch.maximum(m, s.max(dim=3, keepdim=True).values)
            p = torch.exp(s - m_new)
            c = torch.exp(m - m_new)
            l = l * c + p.sum(3, keepdim=True)
            o = o * c + torch.matmul(p, value[:, :, k_lo:k_hi])
            m = m_new
        out[:, :, q_lo:q_hi] = o / l
    return out
