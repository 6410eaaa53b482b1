import torch
import triton
import triton.language as tl


# pointers of keys and values move on by one tile a turn; masks are added to the scores
@triton.jit
def fwd_kernel(
    Q, K, V, O, L, sqh, sql, sqd, skh, skl, skd, svh, svl, svd, soh, sol, sod,
    D: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr, CAUSAL: tl.constexpr,
):
    h = tl.program_id(0)
    qi = tl.program_id(1) * BQ + tl.arange(0, BQ)
    kj = tl.arange(0, BK)
    dd = tl.arange(0, D)
    softmax_scale = 1 / tl.sqrt(tl.full((), D, tl.float32))
    q = tl.load(
        Q + h * sqh + qi[:, None] * sql + dd[None, :] * sqd, mask=qi[:, None] < L, other=0.0
    )
    kp = K + h * skh + kj[:, None] * skl + dd[None, :] * skd
    vp = V + h * svh + kj[:, None] * svl + dd[None, :] * svd
    row_max = tl.zeros((BQ,), tl.float32) - float("inf")
    row_sum = tl.zeros((BQ,), tl.float32)
    o = tl.zeros((BQ, D), tl.float32)
    for start in range(0, L, BK):
        k = tl.load(kp, mask=(start + kj)[:, None] < L, other=0.0)
        v = tl.load(vp, mask=(start + kj)[:, None] < L, other=0.0)
        sij = tl.dot(q, tl.trans(k), input_precision="ieee") * softmax_scale
        if CAUSAL:
            sij += tl.where((start + kj)[None, :] > qi[:, None], float("-inf"), 0.0)
        sij += tl.where(start + kj < L, 0.0, float("-inf"))[None, :]
        m_new = tl.maximum(row_max, tl.max(sij, axis=1))
        pij = tl.exp(sij - m_new[:, None])
        corr = tl.exp(row_max - m_new)
        row_sum = row_sum * corr + tl.sum(pij, axis=1)
        o = o * corr[:, None] + tl.dot(pij.to(v.dtype), v, input_precision="ieee")
        row_max = m_new
        kp += BK * skl
        vp += BK * svl
    op = O + h * soh + qi[:, None] * sol + dd[None, :] * sod
    tl.store(op, o / row_sum[:, None], mask=qi[:, None] < L)


def flash_attention_forward(query, key, value, is_causal=False):
    H, L, D = query.shape
    out = query.new_empty((H, L, D))
    grid = (H, triton.cdiv(L, 32))
    fwd_kernel[grid](
        query, key, value, out, L, *query.stride(), *key.stride(), *value.stride(), *out.stride(),
        D=D, BQ=32, BK=64, CAUSAL=is_causal,
    )
    return out
