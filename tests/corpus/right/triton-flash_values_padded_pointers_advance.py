# right: triton-flash
import math
import torch
import triton
import triton.language as tl

NEG = tl.constexpr(-1.0e6)


@triton.jit
def flash_v2(q_ptr, k_ptr, v_ptr, out_ptr, L, inv_sqrt_d,
             sqh, sql, sqd, skh, skl, skd, svh, svl, svd, soh, sol, sod,
             IS_CAUSAL: tl.constexpr, D: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr):
    q_start = tl.program_id(0) * BQ
    h = tl.program_id(1)
    qi = q_start + tl.arange(0, BQ)
    kj = tl.arange(0, BK)
    dd = tl.arange(0, D)
    q = tl.load(q_ptr + h * sqh + qi[:, None] * sql + dd[None, :] * sqd, mask=qi[:, None] < L, other=0)
    q = (q * inv_sqrt_d).to(q.dtype)
    kp = k_ptr + h * skh + kj[None, :] * skl + dd[:, None] * skd
    vp = v_ptr + h * svh + kj[:, None] * svl + dd[None, :] * svd
    row_max = tl.full([BQ], -float("inf"), tl.float32)
    row_sum = tl.zeros([BQ], tl.float32)
    o = tl.zeros([BQ, D], tl.float32)
    n_tiles = tl.cdiv(L, BK)
    for t in range(n_tiles):
        j = t * BK + kj
        k = tl.load(kp, mask=j[None, :] < L, other=0)
        v = tl.load(vp, mask=j[:, None] < L, other=0)
        sij = tl.dot(q, k, input_precision="ieee")
        keep = j[None, :] < L
        if IS_CAUSAL:
            keep = keep & (qi[:, None] >= j[None, :])
        sij = tl.where(keep, sij, -float("inf"))
        m_new = tl.maximum(row_max, tl.max(sij, axis=1))
        pij = tl.exp(sij - m_new[:, None])
        corr = tl.exp(row_max - m_new)
        o *= corr[:, None]
        o += tl.dot(pij.to(v.dtype), v, input_precision="ieee")
        row_sum *= corr
        row_sum += tl.sum(pij, axis=1)
        row_max = m_new
        kp += BK * skl
        vp += BK * svl
    o /= row_sum[:, None]
    tl.store(out_ptr + h * soh + qi[:, None] * sol + dd[None, :] * sod, o, mask=qi[:, None] < L)


def flash_attention_triton(q, k, v, is_causal=False):
    out = torch.empty_like(q)
    n_heads, L, D = q.shape
    grid = lambda META: (triton.cdiv(L, META["BQ"]), n_heads)
    flash_v2[grid](q, k, v, out, L, 1 / math.sqrt(D), *q.stride(), *k.stride(), *v.stride(), *out.stride(),
                   IS_CAUSAL=is_causal, D=D, BQ=32, BK=64)
    return out
