from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK_Q, BLOCK_K = 64, 32
LOG2E = 1.4426950408889634


@triton.jit
def _tile(base, rows, cols, row_stride, col_stride, limit):
    """Load a (rows, cols) tile; rows past the limit are 0."""
    at = base + rows[:, None].to(tl.int64) * row_stride + cols[None, :] * col_stride
    return tl.load(at, mask=(rows < limit)[:, None], other=0.0)


@triton.jit
def _step(q, k, v, top, total, acc, rows, cols, length, scale, CAUSAL: tl.constexpr):
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    seen = (cols < length)[None, :]
    if CAUSAL:
        seen = seen & (cols[None, :] <= rows[:, None])
    s = tl.where(seen, s, float("-inf"))
    new = tl.maximum(top, tl.max(s, 1))
    p = tl.exp2(s - new[:, None])
    shrink = tl.exp2(top - new)
    total = total * shrink + tl.sum(p, 1)
    acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
    return new, total, acc


@triton.jit
def _forward(
    Q, K, V, O, length, scale,
    q0, q1, q2, k0, k1, k2, v0, v1, v2, o0, o1, o2,
    CAUSAL: tl.constexpr, D: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)
    rows = tl.program_id(0) * BQ + tl.arange(0, BQ)
    dims = tl.arange(0, D)
    q = _tile(Q + head * q0, rows, dims, q1, q2, length)

    top = tl.full((BQ,), float("-inf"), tl.float32)
    total = tl.zeros((BQ,), tl.float32)
    acc = tl.zeros((BQ, D), tl.float32)
    end = length
    if CAUSAL:
        end = tl.minimum(length, (tl.program_id(0) + 1) * BQ)
    for start in range(0, end, BK):
        cols = start + tl.arange(0, BK)
        k = _tile(K + head * k0, cols, dims, k1, k2, length)
        v = _tile(V + head * v0, cols, dims, v1, v2, length)
        top, total, acc = _step(q, k, v, top, total, acc, rows, cols, length, scale, CAUSAL)

    out = acc / total[:, None]
    at = O + head * o0 + rows[:, None].to(tl.int64) * o1 + dims[None, :] * o2
    tl.store(at, out.to(O.dtype.element_ty), mask=(rows < length)[:, None])


def triton_flash_attention(
    query: Tensor, key: Tensor, value: Tensor, causal: bool = False
) -> Tensor:
    heads, length, head_dim = query.shape
    out = torch.empty(query.shape, dtype=query.dtype, device=query.device)
    scale = LOG2E / math.sqrt(head_dim)
    _forward[(triton.cdiv(length, BLOCK_Q), heads)](
        query, key, value, out, length, scale,
        *query.stride(), *key.stride(), *value.stride(), *out.stride(),
        CAUSAL=causal, D=head_dim, BQ=BLOCK_Q, BK=BLOCK_K,
    )
    return out
