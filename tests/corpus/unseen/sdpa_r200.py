from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, vmap

# One query, one head, one sample; everything else is vmap.


def _one(q: Tensor, k: Tensor, v: Tensor, ok: Tensor) -> Tensor:
    """q (d,), k (s, d), v (s, e), ok (s,) -> (e,)"""
    z = torch.where(ok, (k * q).sum(-1) / q.shape[-1] ** 0.5, -torch.inf)
    p = (z - z.amax(-1).detach()).exp()
    return p @ v / p.sum(-1)


_rows = vmap(_one, in_dims=(0, None, None, 0))
_heads = vmap(_rows)
_batch = vmap(_heads)


def _visible(shape: tuple[int, ...], mask: Tensor | None, causal: bool, device) -> Tensor:
    mk = partial(torch.ones, dtype=torch.bool, device=device)
    *_, t, s = shape
    ok = mk(t, s)
    if causal:
        ok = mk(s, s).tril()[s - t :]
    if mask is not None:
        ok = ok & mask.to(device).bool()
    return ok.broadcast_to(shape)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    shape = (*query.shape[:-1], key.shape[-2])
    wide = torch.promote_types(query.dtype, torch.float32)
    qkv = (t.to(wide) for t in (query, key, value))
    return _batch(*qkv, _visible(shape, mask, causal, query.device)).to(query.dtype)
