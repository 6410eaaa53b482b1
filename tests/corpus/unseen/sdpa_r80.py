from __future__ import annotations
import logging
import torch

log = logging.getLogger(__name__)


class _Attend(torch.autograd.Function):
    """softmax(q k^T / sqrt d) v with its backward written out; only the weights are kept."""

    @staticmethod
    def forward(ctx, q, k, v, hidden):
        up = torch.promote_types(q.dtype, torch.float32)
        ctx.scale = q.size(-1) ** -0.5
        s = (q.to(up) * ctx.scale) @ k.to(up).mT
        if hidden is not None:
            s.masked_fill_(hidden, torch.finfo(s.dtype).min)
        s.sub_(s.amax(-1, keepdim=True)).exp_()
        s.div_(s.sum(-1, keepdim=True))
        ctx.save_for_backward(q, k, v, s)
        return (s @ v.to(up)).to(q.dtype)

    @staticmethod
    def backward(ctx, g):
        q, k, v, p = ctx.saved_tensors
        q_, k_, v_, g_ = (t.to(p.dtype) for t in (q, k, v, g))
        dv = p.mT @ g_ if ctx.needs_input_grad[2] else None
        dp = g_ @ v_.mT
        ds = p * (dp - (dp * p).sum(-1, keepdim=True)) * ctx.scale
        dq = ds @ k_ if ctx.needs_input_grad[0] else None
        dk = ds.mT @ q_ if ctx.needs_input_grad[1] else None
        cast = lambda x, like: None if x is None else x.to(like.dtype)
        return cast(dq, q), cast(dk, k), cast(dv, v), None


def _hidden(mask, causal, nq, nk, device):
    parts = []
    if mask is not None:
        if mask.dtype is not torch.bool:
            log.debug("mask of dtype %s taken as 0/1", mask.dtype)
        parts.append(mask.eq(0).to(device))
    if causal:
        parts.append(torch.ones(nq, nk, dtype=torch.bool, device=device).triu(nk - nq + 1))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else torch.logical_or(*parts)


def attention(query, key, value, mask=None, causal=False):
    if not (query.dim() == key.dim() == value.dim() == 4):
        raise TypeError("expected (batch, heads, length, dim)")
    hidden = _hidden(mask, causal, query.size(2), key.size(2), query.device)
    return _Attend.apply(query, key, value, hidden)
