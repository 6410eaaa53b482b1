# wrong: triton-flash causal-excludes-self line 43
from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def scores_of(q, k_ptr, cols, length, row_stride, col_stride, D: tl.constexpr):
    """Products of a tile of queries with the keys of some columns."""
    d = tl.arange(0, D)
    k = tl.load(k_ptr + cols[None, :] * row_stride + d[:, None] * col_stride,
                mask=cols[None, :] < length, other=0.0)
    return tl.dot(q, k, input_precision="ieee")


@triton.jit
def attend(
    q_ptr, k_ptr, v_ptr, o_ptr, length, tiles, root,
    qh, qt, qd, kh, kt, kd, vh, vt, vd, oh, ot, od,
    CAUSAL: tl.constexpr, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
):
    # One axis of programs: tile by tile of head 0, then of head 1.
    pid = tl.program_id(0)
    head = pid // tiles
    first = (pid % tiles) * M
    rows = first + tl.arange(0, M)
    d = tl.arange(0, D)
    live = rows[:, None] < length
    q = tl.load(q_ptr + head * qh + rows[:, None] * qt + d[None, :] * qd, mask=live, other=0.0)
    peak = tl.full((M,), -1e30, dtype=tl.float32)
    denominator = tl.zeros((M,), dtype=tl.float32)
    numerator = tl.zeros((M, D), dtype=tl.float32)
    for start in range(0, length, N):
        cols = start + tl.arange(0, N)
        s = scores_of(q, k_ptr + head * kh, cols, length, kt, kd, D) / root
        hidden = cols[None, :] >= length
        if CAUSAL:
            hidden = hidden | (cols[None, :] >= rows[:, None])
        s = tl.where(hidden, -1e30, s)
        higher = tl.maximum(peak, tl.max(s, axis=1))
        w = tl.where(hidden, 0.0, tl.exp(s - higher[:, None]))
        shrink = tl.exp(peak - higher)
        peak = higher
        denominator = shrink * denominator + tl.sum(w, axis=1)
        v = tl.load(v_ptr + head * vh + cols[:, None] * vt + d[None, :] * vd,
                    mask=cols[:, None] < length, other=0.0)
        numerator = shrink[:, None] * numerator + tl.dot(w.to(v.dtype), v, input_precision="ieee")
    out = numerator / denominator[:, None]
    tl.store(o_ptr + head * oh + rows[:, None] * ot + d[None, :] * od,
             out.to(o_ptr.dtype.element_ty), mask=live)


def triton_flash_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    heads, length, d = query.shape
    out = query.new_empty(query.shape)
    tiles = triton.cdiv(length, 32)
    attend[(heads * tiles,)](
        query, key, value, out, length, tiles, math.sqrt(d),
        *query.stride(), *key.stride(), *value.stride(), *out.stride(),
        CAUSAL=causal, D=d, M=32, N=64,
    )
    return out
