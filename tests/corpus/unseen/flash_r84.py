from __future__ import annotations

import torch
from torch import Tensor


def _combine(left, right):
    """(out, lse) + (out, lse), as in ring attention."""
    (o1, l1), (o2, l2) = left, right
    lse = torch.logaddexp(l1, l2)
    return o1 * torch.exp(l1 - lse).unsqueeze(-1) + o2 * torch.exp(l2 - lse).unsqueeze(-1), lse


def _tile(q, k, v, hide=None):
    s = q @ k.transpose(-2, -1)
    if hide is not None:
        s = s.masked_fill(hide, float("-inf"))
    lse = torch.logsumexp(s, -1)
    return torch.exp(s - lse.unsqueeze(-1)) @ v, lse


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    dtype = torch.promote_types(query.dtype, torch.float32)
    length = query.shape[2]
    outs = []
    for qs in range(0, length, block_size):
        q = query[:, :, qs : qs + block_size].to(dtype) / query.shape[3] ** 0.5
        state = None
        for ks in range(0, length, block_size):
            if causal and ks >= qs + q.shape[2]:
                break
            k = key[:, :, ks : ks + block_size].to(dtype)
            v = value[:, :, ks : ks + block_size].to(dtype)
            hide = None
            if causal and ks == qs:
                hide = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).triu(1)
            part = _tile(q, k, v, hide)
            state = part if state is None else _combine(state, part)
        outs.append(state[0])
    return torch.cat(outs, dim=2).to(query.dtype)
