from __future__ import annotations

import math

import torch
from torch import Tensor


def _softmax(s: Tensor) -> Tensor:
    peak = s.amax(dim=-2, keepdim=True)
    peak = torch.where(torch.isinf(peak), torch.zeros_like(peak), peak)
    e = (s - peak).exp()
    return e / e.sum(dim=-1, keepdim=True)


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1 / math.sqrt(query.size(-1))
    s = torch.einsum("...qd,...kd->...qk", query, key) * scale
    if causal:
        nq, nk = s.shape[-2:]
        ahead = torch.ones(nq, nk, dtype=torch.bool, device=s.device).triu(nk - nq + 1)
        s = s.masked_fill(ahead, -math.inf)
    p = _softmax(s)
    dv = torch.einsum("...qk,...qv->...kv", p, grad_output)
    dp = torch.einsum("...qv,...kv->...qk", grad_output, value)
    ds = p * (dp - (p * dp).sum(-1, keepdim=True))
    dq = torch.einsum("...qk,...kd->...qd", ds, key) * scale
    dk = torch.einsum("...qk,...qd->...kd", ds, query) * scale
    return dq, dk, dv
