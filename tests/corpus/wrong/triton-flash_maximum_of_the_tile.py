# wrong: triton-flash max-not-carried line 38
"""In the manner of Triton's tutorial on fused attention, without its tuning."""
import torch
import triton
import triton.language as tl


@triton.jit
def _attn_fwd(Q, K, V, sm_scale, Out,
              stride_qh, stride_qm, stride_qk,
              stride_kh, stride_kn, stride_kk,
              stride_vh, stride_vn, stride_vk,
              stride_oh, stride_om, stride_on,
              N_CTX, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              IS_CAUSAL: tl.constexpr):
    start_m = tl.program_id(0)
    off_h = tl.program_id(1)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    # initialize pointer to m and l
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    # load scales
    qk_scale = sm_scale * 1.44269504  # 1/log(2)
    q = tl.load(Q + off_h * stride_qh + offs_m[:, None] * stride_qm + offs_d[None, :] * stride_qk,
                mask=offs_m[:, None] < N_CTX, other=0.0)
    hi = (start_m + 1) * BLOCK_M if IS_CAUSAL else N_CTX
    for start_n in range(0, hi, BLOCK_N):
        n = start_n + offs_n
        k = tl.load(K + off_h * stride_kh + n[None, :] * stride_kn + offs_d[:, None] * stride_kk,
                    mask=n[None, :] < N_CTX, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee") * qk_scale
        qk = tl.where(n[None, :] < N_CTX, qk, float("-inf"))
        if IS_CAUSAL:
            qk = tl.where(offs_m[:, None] >= n[None, :], qk, float("-inf"))
        m_ij = tl.max(qk, 1)
        qk -= m_ij[:, None]
        p = tl.math.exp2(qk)
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(V + off_h * stride_vh + n[:, None] * stride_vn + offs_d[None, :] * stride_vk,
                    mask=n[:, None] < N_CTX, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        m_i = m_ij
    # epilogue
    acc = acc / l_i[:, None]
    tl.store(Out + off_h * stride_oh + offs_m[:, None] * stride_om + offs_d[None, :] * stride_on,
             acc.to(Out.type.element_ty), mask=offs_m[:, None] < N_CTX)


def attention(q, k, v, causal=False):
    H, N_CTX, HEAD_DIM = q.shape
    o = torch.empty_like(q)
    BLOCK_M = 16
    grid = (triton.cdiv(N_CTX, BLOCK_M), H, 1)
    _attn_fwd[grid](q, k, v, HEAD_DIM ** -0.5, o, *q.stride(), *k.stride(), *v.stride(), *o.stride(),
                    N_CTX, HEAD_DIM=HEAD_DIM, BLOCK_M=BLOCK_M, BLOCK_N=32, IS_CAUSAL=causal)
    return o
