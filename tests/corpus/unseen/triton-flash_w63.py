from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def scores_tile(q, k, rows, cols, n, scale, CAUSAL: tl.constexpr):
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    if CAUSAL:
        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
    return s


@triton.jit
def flash_kernel(q_ptr, k_ptr, v_ptr, o_ptr, n, scale, HEAD: tl.constexpr, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    base = tl.program_id(1) * n * HEAD
    d = tl.arange(0, HEAD)
    q_at = base + rows[:, None] * HEAD + d[None, :]
    q = tl.load(q_ptr + q_at, mask=rows[:, None] < n, other=0.0)
    m = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD], dtype=tl.float32)
    for start in range(0, n, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        at = base + cols[:, None] * HEAD + d[None, :]
        k = tl.load(k_ptr + at, mask=cols[:, None] < n, other=0.0)
        v = tl.load(v_ptr + at, mask=cols[:, None] < n, other=0.0)
        s = scores_tile(q, k, rows, cols, n, scale, CAUSAL)
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - m_new[:, None])
        a = tl.exp(m - m_new)
        l = l * a + tl.sum(p, 1)
        acc = acc * a[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + q_at, (acc / l[:, None]).to(o_ptr.dtype.element_ty), mask=rows[:, None] < n)


def triton_flash_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    query, key, value = query.contiguous(), key.contiguous(), value.contiguous()
    heads, n, dim = query.shape
    out = torch.empty_like(query)
    flash_kernel[(triton.cdiv(n, 32), heads)](
        query, key, value, out, n, 1 / math.sqrt(dim), HEAD=dim, BLOCK_M=32, BLOCK_N=32, CAUSAL=causal
    )
    return out
