# wrong: triton-flash causal-stops-early line 34
import math

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def attn_fwd(
    q_ptr, k_ptr, v_ptr, o_ptr,
    N_CTX, sm_scale,
    IS_CAUSAL: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    start_m = tl.program_id(0)
    off_h = tl.program_id(1).to(tl.int64) * N_CTX * HEAD_DIM
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)

    q_at = off_h + offs_m[:, None] * HEAD_DIM + offs_d[None, :]
    q = tl.load(q_ptr + q_at, mask=offs_m[:, None] < N_CTX, other=0.0)

    m_i = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)

    # causal: keys behind this block of queries need not be visited
    if IS_CAUSAL:
        hi = tl.minimum((start_m + 1) * BLOCK_N, N_CTX)
    else:
        hi = N_CTX

    for start_n in range(0, hi, BLOCK_N):
        n = start_n + offs_n
        kv_at = off_h + n[:, None] * HEAD_DIM + offs_d[None, :]
        k = tl.load(k_ptr + kv_at, mask=n[:, None] < N_CTX, other=0.0)
        v = tl.load(v_ptr + kv_at, mask=n[:, None] < N_CTX, other=0.0)

        qk = tl.dot(q, tl.trans(k), input_precision="ieee") * sm_scale
        valid = n[None, :] < N_CTX
        if IS_CAUSAL:
            valid = valid & (offs_m[:, None] >= n[None, :])
        qk = tl.where(valid, qk, -float("inf"))

        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_ij[:, None])
        alpha = tl.exp(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        acc += tl.dot(p.to(v.dtype), v, input_precision="ieee")
        m_i = m_ij

    acc = acc / l_i[:, None]
    tl.store(o_ptr + q_at, acc.to(o_ptr.dtype.element_ty), mask=offs_m[:, None] < N_CTX)


def triton_flash_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k, v = query.contiguous(), key.contiguous(), value.contiguous()
    n_heads, n_ctx, head_dim = q.shape
    o = torch.empty_like(q)
    BLOCK_M, BLOCK_N = 64, 32
    grid = (triton.cdiv(n_ctx, BLOCK_M), n_heads)
    attn_fwd[grid](
        q, k, v, o, n_ctx, 1.0 / math.sqrt(head_dim), causal, head_dim, BLOCK_M, BLOCK_N
    )
    return o
