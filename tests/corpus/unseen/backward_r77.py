# Manual VJP, JAX style: residuals in, cotangents out.
from typing import NamedTuple
import torch


class Residuals(NamedTuple):
    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    p: torch.Tensor
    scale: float


def _fwd(q, k, v, causal):
    scale = q.shape[-1] ** -0.5
    logits = torch.einsum("bhid,bhjd->bhij", q * scale, k)
    if causal:
        i, j = logits.shape[-2:]
        visible = torch.ones(i, j, dtype=torch.bool, device=q.device).tril_(j - i)
        logits = logits.masked_fill(visible.logical_not(), -torch.inf)
    p = torch.softmax(logits, dim=-1)
    o = torch.einsum("bhij,bhje->bhie", p, v)
    return o, Residuals(q, k, v, p, scale)


def _bwd(res, o, do):
    delta = torch.linalg.vecdot(do, o, dim=-1)
    dv = torch.einsum("bhij,bhie->bhje", res.p, do)
    dp = torch.einsum("bhie,bhje->bhij", do, res.v)
    ds = (dp - delta.unsqueeze(-1)).mul(res.p).mul(res.scale)
    dq = torch.einsum("bhij,bhjd->bhid", ds, res.k)
    dk = torch.einsum("bhij,bhid->bhjd", ds, res.q)
    return dq, dk, dv


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    wide = torch.promote_types(query.dtype, torch.float32)
    out, res = _fwd(query.to(wide), key.to(wide), value.to(wide), causal)
    return tuple(g.to(query.dtype) for g in _bwd(res, out, grad_output.to(wide)))
