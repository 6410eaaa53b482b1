from __future__ import annotations

import torch
from torch import Tensor


def phi(x: Tensor) -> Tensor:
    # elu(x) + 1; exp never sees a large number, not even where its value is not taken
    return torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0)))


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    fq, fk, v = phi(query.to(wide)), phi(key.to(wide)), value.to(wide)
    state = fk.transpose(-1, -2) @ v
    normaliser = fk.sum(dim=-2).unsqueeze(-1)
    return ((fq @ state) / (fq @ normaliser)).to(query.dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    fq, fk, v = phi(query.to(wide)), phi(key.to(wide)), value.to(wide)
    state = fk.new_zeros(*fk.shape[:2], fk.shape[-1], v.shape[-1])
    normaliser = fk.new_zeros(*fk.shape[:2], fk.shape[-1])
    rows = []
    for q_t, k_t, v_t in zip(fq.unbind(2), fk.unbind(2), v.unbind(2)):
        state = state + k_t.unsqueeze(-1) * v_t.unsqueeze(-2)
        normaliser = normaliser + k_t
        above = (q_t.unsqueeze(-1) * state).sum(-2)
        below = (q_t * normaliser).sum(-1, keepdim=True)
        rows.append(above / below)
    return torch.stack(rows, dim=2).to(query.dtype)
