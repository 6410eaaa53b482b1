from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Gradients(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor


def _weights(q: Tensor, k: Tensor, causal: bool) -> Tensor:
    s = q @ k.transpose(-2, -1)
    if causal:
        newest = torch.arange(k.shape[-2] - q.shape[-2], k.shape[-2], device=q.device)
        s = torch.where(torch.arange(k.shape[-2], device=q.device) <= newest[:, None], s, -math.inf)
    e = torch.exp(s - s.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def _softmax_vjp(p: Tensor, g: Tensor) -> Tensor:
    pg = p * g
    return pg - p * pg.sum(-1, keepdim=True)


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> Gradients:
    dtype = query.dtype
    wide = torch.promote_types(dtype, torch.float32)
    q, k, v, g = (t.to(wide) for t in (query, key, value, grad_output))
    root = math.sqrt(q.shape[-1])
    p = _weights(q / root, k, causal)
    ds = _softmax_vjp(p, g @ v.transpose(-2, -1)) / root
    return Gradients(
        query=(ds @ k).to(dtype),
        key=(ds.transpose(-2, -1) @ q).to(dtype),
        value=(p.transpose(-2, -1) @ g).to(dtype),
    )
