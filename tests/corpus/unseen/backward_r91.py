from __future__ import annotations

import itertools

import torch
from torch import Tensor


def _forward_2d(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> tuple[Tensor, Tensor]:
    logits = q.mm(k.t()).div(q.shape[1] ** 0.5)
    if causal:
        shift = len(k) - len(q)
        row = torch.arange(len(q), device=q.device) + shift
        col = torch.arange(len(k), device=q.device)
        logits.masked_fill_(col.gt(row.unsqueeze(1)), float("-inf"))
    logits -= logits.max(dim=1, keepdim=True).values
    e = logits.exp_()
    probs = e.div_(e.sum(dim=1, keepdim=True))
    return probs, probs.mm(v)


def _backward_2d(q, k, v, g, causal):
    probs, out = _forward_2d(q, k, v, causal)
    delta = (g * out).sum(dim=1, keepdim=True)
    g_logits = probs * (g.mm(v.t()) - delta)
    g_logits /= q.shape[1] ** 0.5
    return g_logits.mm(k), g_logits.t().mm(q), probs.t().mm(g)


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    kind = torch.promote_types(query.dtype, torch.float32)
    args = [t.to(kind) for t in (query, key, value, grad_output)]
    grads = [torch.empty_like(t) for t in args[:3]]
    with torch.no_grad():
        for b, h in itertools.product(range(query.shape[0]), range(query.shape[1])):
            for whole, part in zip(grads, _backward_2d(*(t[b, h] for t in args), causal)):
                whole[b, h] = part
    return tuple(whole.to(query.dtype) for whole in grads)
