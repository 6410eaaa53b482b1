# attn-kata: backward
"""Two sweeps over key tiles, FlashAttention-2 style; the full score matrix is never kept."""
from __future__ import annotations

import math

import torch
from torch import Tensor

TILE = 48


def _scores(q: Tensor, k_tile: Tensor, first: int, offset: int, causal: bool) -> Tensor:
    s = torch.matmul(q, k_tile.transpose(-2, -1))
    if causal:
        rows = offset + torch.arange(q.shape[-2], device=q.device)
        cols = first + torch.arange(k_tile.shape[-2], device=q.device)
        s = s.masked_fill(cols[None, :] > rows[:, None], -math.inf)
    return s


def _tiles(n: int):
    first = 0
    while first < n:
        yield first, min(first + TILE, n)
        first += TILE


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    acc = torch.promote_types(query.dtype, torch.float32)
    tau = query.shape[-1] ** -0.5
    q = query.to(acc) * tau
    k, v, do = (t.to(acc) for t in (key, value, grad_output))
    offset = k.shape[-2] - q.shape[-2]

    # sweep 1: row log-sum-exp and the output
    lse = q.new_full(q.shape[:-1], -math.inf)
    o = torch.zeros_like(do)
    for lo, hi in _tiles(k.shape[-2]):
        s = _scores(q, k[..., lo:hi, :], lo, offset, causal)
        new = torch.logaddexp(lse, s.logsumexp(dim=-1))
        o = o * (lse - new).exp().unsqueeze(-1)
        o = o + (s - new.unsqueeze(-1)).exp() @ v[..., lo:hi, :]
        lse = new

    # sweep 2: each key tile owns its rows of dK and dV, dQ is accumulated
    delta = (do * o).sum(dim=-1, keepdim=True)
    dq, dk, dv = torch.zeros_like(q), torch.empty_like(k), torch.empty_like(v)
    for lo, hi in _tiles(k.shape[-2]):
        k_tile, v_tile = k[..., lo:hi, :], v[..., lo:hi, :]
        p = (_scores(q, k_tile, lo, offset, causal) - lse.unsqueeze(-1)).exp()
        dv[..., lo:hi, :] = p.transpose(-2, -1) @ do
        ds = p * (do @ v_tile.transpose(-2, -1) - delta)
        dk[..., lo:hi, :] = ds.transpose(-2, -1) @ q
        dq += ds @ k_tile
    return (dq * tau).to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
