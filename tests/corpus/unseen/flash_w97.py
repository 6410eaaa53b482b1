from __future__ import annotations

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    Q = query * query.size(-1) ** -0.5
    n = query.size(-2)
    O = torch.zeros_like(Q)
    l = Q.new_zeros(Q.shape[:-1])
    m = Q.new_zeros(Q.shape[:-1])
    rows = torch.arange(n, device=Q.device)

    for K, V, cols in zip(key.split(block_size, 2), value.split(block_size, 2), rows.split(block_size)):
        S = torch.einsum("bhid,bhjd->bhij", Q, K)
        if causal:
            S = torch.where(rows[:, None] >= cols[None, :], S, -torch.inf)
        m_next = torch.max(m, S.max(-1).values)
        P = torch.exp(S - m_next[..., None])
        a = torch.exp(m - m_next)
        l = a * l + P.sum(-1)
        O = a[..., None] * O + torch.einsum("bhij,bhjd->bhid", P, V)
        m = m_next
    return O / l[..., None]
