"""VJP of scaled dot-product attention, the way a custom_vjp rule would be written:
_fwd gives the output and the residuals, _bwd takes residuals and the cotangent."""
import math
from typing import NamedTuple

import torch


class Residuals(NamedTuple):
    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    probs: torch.Tensor
    out: torch.Tensor
    scale: float


def _fwd(q, k, v, causal):
    scale = 1 / math.sqrt(q.shape[-1])
    logits = torch.einsum("bhqd,bhkd->bhqk", q, k) * scale
    if causal:
        nq, nk = logits.shape[-2:]
        visible = torch.ones(nq, nk, dtype=torch.bool, device=q.device).tril(nk - nq)
        logits = torch.where(visible, logits, -math.inf)
    probs = torch.exp(logits - torch.logsumexp(logits, dim=-1, keepdim=True))
    out = torch.einsum("bhqk,bhkv->bhqv", probs, v)
    return out, Residuals(q, k, v, probs, out, scale)


def _bwd(res, ct):
    ct_v = torch.einsum("bhqk,bhqv->bhkv", res.probs, ct)
    ct_probs = torch.einsum("bhqv,bhkv->bhqk", ct, res.v)
    # sum_k p dp == sum_v o do
    delta = torch.einsum("bhqv,bhqv->bhq", res.out, ct)
    ct_logits = res.probs * (ct_probs - delta[..., None])
    ct_q = torch.einsum("bhqk,bhkd->bhqd", ct_logits, res.k) * res.scale
    ct_k = torch.einsum("bhqk,bhqd->bhkd", ct_logits, res.q) * res.scale
    return ct_q, ct_k, ct_v


def attention_backward(query, key, value, grad_output, causal=False):
    up = torch.promote_types(query.dtype, torch.float32)
    _, res = _fwd(query.to(up), key.to(up), value.to(up), causal)
    return tuple(g.to(query.dtype) for g in _bwd(res, grad_output.to(up)))
