from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Gradients(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor


class _Folded:
    """Batch and heads in one axis, in float32 at least."""

    def __init__(self, tensor: Tensor) -> None:
        self.shape, self.dtype = tensor.shape, tensor.dtype
        wide = torch.promote_types(tensor.dtype, torch.float32)
        self.data = tensor.reshape(-1, *tensor.shape[-2:]).to(wide)

    def unfold(self, grad: Tensor) -> Tensor:
        return grad.reshape(self.shape).to(self.dtype)


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> Gradients:
    q, k, v, do = map(_Folded, (query, key, value, grad_output))
    scale = query.shape[-1] ** -0.5

    logits = torch.bmm(q.data, k.data.mT).mul_(scale)
    if causal:
        q_len, k_len = logits.shape[1:]
        ahead = torch.ones(q_len, k_len, dtype=torch.bool, device=logits.device).triu_(k_len - q_len + 1)
        logits.masked_fill_(ahead, -torch.inf)
    p = logits.sub_(logits.amax(-1, keepdim=True)).exp_()
    p.div_(p.sum(-1, keepdim=True))

    # delta needs no weights: rowsum(P o dP) == rowsum(dO o O)
    delta = torch.bmm(p, v.data).mul_(do.data).sum(-1, keepdim=True)
    ds = torch.bmm(do.data, v.data.mT).sub_(delta).mul_(p)

    return Gradients(
        query=q.unfold(torch.bmm(ds, k.data) * scale),
        key=k.unfold(torch.bmm(ds.mT, q.data) * scale),
        value=v.unfold(torch.bmm(p.mT, do.data)),
    )
