from __future__ import annotations

import math
from itertools import product
from types import SimpleNamespace

import torch

ROWS = 64


def _spans(n: int, step: int):
    return [slice(a, min(a + step, n)) for a in range(0, n, step)]


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    """dQ, dK and dV from rectangular tiles (rows of queries, columns of keys)."""
    n = query.shape[-2]
    fp = torch.promote_types(query.dtype, torch.float32)
    t = SimpleNamespace(q=query, k=key, v=value, o=output, do=grad_output)
    for name, x in vars(t).items():
        setattr(t, name, x.to(fp))
    scale = 1 / math.sqrt(query.shape[-1])
    delta = torch.linalg.vecdot(t.do, t.o, dim=-1).unsqueeze(-1)
    norm = lse.to(fp).unsqueeze(-1)
    dq, dk, dv = (torch.zeros_like(x) for x in (t.q, t.k, t.v))

    for i, j in product(_spans(n, ROWS), _spans(n, block_size)):
        if causal and j.start >= i.stop:
            continue
        q, k, v, do = t.q[..., i, :], t.k[..., j, :], t.v[..., j, :], t.do[..., i, :]
        log_p = q @ k.mT * scale - norm[..., i, :]
        if causal:
            log_p = log_p.masked_fill(
                torch.ones(log_p.shape[-2:], device=q.device).triu(i.start - j.start + 1).bool(), -math.inf
            )
        p = log_p.exp()
        ds = p * (do @ v.mT - delta[..., i, :])
        dv[..., j, :] += p.mT @ do
        dk[..., j, :] += scale * (ds.mT @ q)
        dq[..., i, :] += scale * (ds @ k)

    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
