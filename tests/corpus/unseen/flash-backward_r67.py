"""The loop as a lax.scan: carry = dq, per-tile outputs = (dk, dv), stitched at the end."""
import math
from functools import reduce

import torch


def _scan(f, init, xs):
    carry, ys = init, []
    for x in xs:
        carry, y = f(carry, x)
        ys.append(y)
    return carry, ys


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    up = torch.promote_types(query.dtype, torch.float32)
    q, o, g = query.to(up), output.to(up), grad_output.to(up)
    scale = 1 / math.sqrt(q.shape[-1])
    neg_delta = -torch.einsum("bhqv,bhqv->bhq", o, g)[..., None]
    neg_lse = -lse.to(up)[..., None]
    q_pos = torch.arange(q.shape[2], device=q.device)

    def step(dq, tile):
        k, v, k_pos = tile
        k, v = k.to(up), v.to(up)
        log_p = torch.einsum("bhqd,bhkd->bhqk", q * scale, k) + neg_lse
        if causal:
            log_p = torch.where(k_pos <= q_pos[:, None], log_p, -torch.inf)
        p = log_p.exp()
        dv = torch.einsum("bhqk,bhqv->bhkv", p, g)
        ds = p * (torch.einsum("bhqv,bhkv->bhqk", g, v) + neg_delta)
        dk = torch.einsum("bhqk,bhqd->bhkd", ds, q * scale)
        return dq + torch.einsum("bhqk,bhkd->bhqd", ds, k * scale), (dk, dv)

    tiles = zip(key.split(block_size, 2), value.split(block_size, 2), q_pos.split(block_size))
    dq, parts = _scan(step, torch.zeros_like(q), tiles)
    dk, dv = (torch.cat(p, dim=2) for p in zip(*parts))
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
