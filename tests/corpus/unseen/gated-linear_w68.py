from __future__ import annotations

import torch
from torch import Tensor

TAU = 16


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    B, H, D = query.shape
    V = value.shape[2]
    assert key.shape == (B, H, D) and gate.shape == (B, H)
    assert state.shape == (B, H, D, V)
    ACC = torch.promote_types(state.dtype, torch.float32)
    keep = torch.exp(torch.nn.functional.logsigmoid(gate.to(ACC)) / TAU).reshape(B, H, 1, 1)
    S = state.to(ACC) * keep + key.to(ACC).reshape(B, H, D, 1) * value.to(ACC).reshape(B, H, 1, V)
    row = torch.mul(S, query.to(ACC).reshape(B, H, D, 1)).sum(2)
    return row.to(value.dtype), S.to(state.dtype)


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
):
    B, H, N, D = query.shape
    V = value.shape[3]
    assert chunk_size > 0
    C = min(chunk_size, N)
    pad = -N % C
    chunks = (N + pad) // C
    ACC = torch.promote_types(state.dtype, torch.float32)

    def tiles(t: Tensor, width: int) -> Tensor:
        full = torch.cat([t.to(ACC), t.new_zeros(B, H, pad, width).to(ACC)], 2)
        return full.view(B, H, chunks, C, width)

    q, k, v = tiles(query, D), tiles(key, D), tiles(value, V)
    log_a = torch.nn.functional.logsigmoid(torch.cat([gate, gate.new_zeros(B, H, pad)], 2).to(ACC)) / TAU
    cum = log_a.view(B, H, chunks, C).cumsum(3)

    tri = torch.ones(C, C, dtype=torch.bool, device=q.device).tril()
    S = state.to(ACC)
    out = []
    for n in range(chunks):
        c = cum[:, :, n]                                             # [B, H, C]
        gap = (c[:, :, :, None] - c[:, :, None, :]).masked_fill(~tri, float("-inf"))
        local = torch.exp(gap) * (q[:, :, n] @ k[:, :, n].mT)
        out.append(local @ v[:, :, n] + torch.exp(c)[..., None] * (q[:, :, n] @ S))
        last = c[:, :, -1:]
        S = torch.exp(last)[..., None] * S + (k[:, :, n] * torch.exp(last - c)[..., None]).mT @ v[:, :, n]
    return torch.cat(out, 2)[:, :, :N].to(value.dtype), S.to(state.dtype)
