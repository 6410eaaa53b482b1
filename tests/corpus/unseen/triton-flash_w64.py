import torch
import triton
import triton.language as tl


@triton.jit
def attn_fwd(Q, K, V, Out, stride_h, stride_n, L, sm_scale,
             BM: tl.constexpr, BN: tl.constexpr, DH: tl.constexpr, IS_CAUSAL: tl.constexpr):
    start_m = tl.program_id(0)
    off_h = tl.program_id(1)
    offs_m = start_m * BM + tl.arange(0, BM)
    offs_n = tl.arange(0, BN)
    offs_d = tl.arange(0, DH)
    Q += off_h * stride_h
    K += off_h * stride_h
    V += off_h * stride_h
    Out += off_h * stride_h
    q = tl.load(Q + offs_m[:, None] * stride_n + offs_d[None, :], mask=offs_m[:, None] < L, other=0.0)
    m_i = tl.zeros([BM], tl.float32) - float("inf")
    l_i = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, DH], tl.float32)
    hi = L
    if IS_CAUSAL:
        hi = tl.minimum((start_m + 1) * BM, L)
    for start_n in range(0, hi, BN):
        n = start_n + offs_n
        k = tl.load(K + n[None, :] * stride_n + offs_d[:, None], mask=n[None, :] < L, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee") * sm_scale
        qk = tl.where(n[None, :] < L, qk, float("-inf"))
        if IS_CAUSAL:
            qk = tl.where(offs_m[:, None] >= n[None, :], qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_ij[:, None])
        alpha = tl.exp(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(V + n[:, None] * stride_n + offs_d[None, :], mask=n[:, None] < L, other=0.0)
        acc += tl.dot(p.to(v.dtype), v, input_precision="ieee")
        m_i = m_ij
    acc = acc / l_i[:, None]
    tl.store(Out + offs_m[:, None] * stride_n + offs_d[None, :], acc.to(Out.dtype.element_ty),
             mask=offs_m[:, None] < L)


def triton_flash_attention(query, key, value, causal=False):
    q, k, v = (t.contiguous() for t in (query, key, value))
    o = torch.empty_like(q)
    grid = (triton.cdiv(q.shape[1], 64), q.shape[0])
    attn_fwd[grid](q, k, v, o, q.stride(0), q.stride(1), q.shape[1], q.shape[2] ** -0.5,
                   BM=64, BN=32, DH=q.shape[2], IS_CAUSAL=causal)
    return o
