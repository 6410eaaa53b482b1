"""ALiBi, written the way I would in JAX: small pure functions, vmap over the head axis."""
from __future__ import annotations

import torch
from torch import Tensor
from torch.func import vmap


def _geometric(n: int) -> Tensor:
    i = torch.arange(1, n + 1, dtype=torch.float32)
    return torch.exp2(-8.0 * i / n)


def slopes(heads: int) -> Tensor:
    n = 1
    while 2 * n <= heads:
        n *= 2
    own = _geometric(n)
    if n == heads:
        return own
    extra = _geometric(2 * n)[torch.arange(0, 2 * (heads - n), 2)]
    return torch.concatenate((own, extra))


def _one_head_bias(slope: Tensor, distance: Tensor) -> Tensor:
    ninf = torch.full_like(slope, float("-inf"))
    return torch.where(distance >= 0, -slope * distance, ninf)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    kpos = torch.arange(key_length)
    qpos = kpos[key_length - query_length:]
    distance = torch.subtract(qpos.unsqueeze(1), kpos.unsqueeze(0))
    return vmap(_one_head_bias, in_dims=(0, None))(slopes(heads), distance)


def _softmax(x: Tensor) -> Tensor:
    u = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return u / u.sum(dim=-1, keepdim=True)


def _head(q: Tensor, k: Tensor, v: Tensor, b: Tensor) -> Tensor:
    logits = torch.einsum("qd,kd->qk", q, k) * q.shape[-1] ** -0.5
    return torch.einsum("qk,kd->qd", _softmax(logits + b), v)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    if query.dtype in (torch.float16, torch.bfloat16):
        return attention(query.float(), key.float(), value.float()).to(query.dtype)
    _, h, lq, _ = query.shape
    b = bias(h, lq, key.shape[2]).to(device=query.device, dtype=query.dtype)
    over_heads = vmap(_head, in_dims=(0, 0, 0, 0))
    over_batch = vmap(over_heads, in_dims=(0, 0, 0, None))
    return over_batch(query, key, value, b)
