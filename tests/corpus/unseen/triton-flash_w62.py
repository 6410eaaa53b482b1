from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def flash(
    Q, K, V, Out,
    sq_h, sq_l, sq_d,
    sk_h, sk_l, sk_d,
    so_h, so_l, so_d,
    L, scale,
    CAUSAL: tl.constexpr, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
):
    h = tl.program_id(1).to(tl.int64)
    i0 = tl.program_id(0) * M
    i = i0 + tl.arange(0, M)
    d = tl.arange(0, D)
    live = i[:, None] < L

    q = tl.load(Q + h * sq_h + i[:, None] * sq_l + d[None, :] * sq_d, mask=live, other=0.0)
    mx = tl.full((M,), float("-inf"), tl.float32)
    den = tl.zeros((M,), tl.float32)
    num = tl.zeros((M, D), tl.float32)

    stop = min(L, i0 + M) if CAUSAL else L
    for j0 in range(0, stop, N):
        j = j0 + tl.arange(0, N)
        kv = h * sk_h + j[:, None] * sk_l + d[None, :] * sk_d  # [N, D]
        here = j[:, None] < L
        k = tl.load(K + kv, mask=here, other=0.0)
        v = tl.load(V + kv, mask=here, other=0.0)
        s = tl.dot(q, k.T, input_precision="ieee") * scale
        ok = j[None, :] < L
        if CAUSAL:
            ok &= j[None, :] <= i[:, None]
        s = tl.where(ok, s, float("-inf"))
        nm = tl.maximum(mx, tl.max(s, 1))
        e = tl.exp(s - nm[:, None])
        f = tl.exp(mx - nm)
        den = den * f + tl.sum(e, 1)
        num = num * f[:, None] + tl.dot(e.to(v.dtype), v, input_precision="ieee")
        mx = nm

    o = (num / den[:, None]).to(Out.dtype.element_ty)
    tl.store(Out + h * so_h + i[:, None] * so_l + d[None, :] * so_d, o, mask=live)


def triton_flash_attention(
    query: Tensor, key: Tensor, value: Tensor, causal: bool = False
) -> Tensor:
    h, l, d = query.shape
    assert key.shape == value.shape == (h, l, d)
    out = torch.empty((h, l, d), dtype=query.dtype, device=query.device)
    m = n = 64
    flash[(triton.cdiv(l, m), h)](
        query, key, value, out,
        *query.stride(), *key.stride(), *out.stride(),
        l, 1 / math.sqrt(d),
        CAUSAL=causal, D=d, M=m, N=n,
    )
    return out
