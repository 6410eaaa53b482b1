from __future__ import annotations

import torch
from torch import Tensor


def _tile(s: Tensor, v: Tensor, m: Tensor, z: Tensor, o: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    top = torch.maximum(m, s.amax(-1, keepdim=True))
    p, keep = torch.exp(s - top), torch.exp(m - top)
    return top, keep * z + p.sum(-1, keepdim=True), keep * o + p @ v


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    t, d = query.shape[-2:]
    out = torch.empty_like(query)
    for qs in range(0, t, block_size):
        q = query[..., qs : qs + block_size, :] * d**-0.5
        m = torch.full_like(q[..., :1], torch.finfo(q.dtype).min)
        z, o = torch.zeros_like(m), torch.zeros_like(q)
        last = qs + q.size(-2) if causal else t
        # tiles that lie wholly ahead are left out
        for ks in range(0, last, block_size):
            k, v = key[..., ks : ks + block_size, :], value[..., ks : ks + block_size, :]
            s = torch.einsum("...qd,...kd->...qk", q, k)
            if causal:
                upper = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1)
                s = s.masked_fill(upper, -torch.inf)
            m, z, o = _tile(s, v, m, z, o)
        out[..., qs : qs + block_size, :] = o / z
    return out
