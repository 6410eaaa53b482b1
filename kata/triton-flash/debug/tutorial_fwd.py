import torch
import triton
import triton.language as tl


@triton.jit
def _exp(x):
    # 2 to the power of x / log(2)
    return tl.exp2(x * 1.4426950408889634)


@triton.jit
def _attn_fwd(
    Q, K, V, Out, sm_scale,
    stride_qh, stride_qm, stride_qd, stride_kh, stride_kn, stride_kd,
    stride_vh, stride_vn, stride_vd, stride_oh, stride_om, stride_od,
    N_CTX, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    start_m = tl.program_id(0)
    off_h = tl.program_id(1)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    q_ptrs = Q + off_h * stride_qh + offs_m[:, None] * stride_qm + offs_d[None, :] * stride_qd
    k_base = K + off_h * stride_kh + offs_d[:, None] * stride_kd
    v_base = V + off_h * stride_vh + offs_d[None, :] * stride_vd
    # initialize running maximum, sum and output
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    # load q: it will stay in SRAM throughout
    q = tl.load(q_ptrs, mask=offs_m[:, None] < N_CTX, other=0.0)
    hi = tl.minimum((start_m + 1) * BLOCK_M, N_CTX) if CAUSAL else N_CTX
    for start_n in range(0, hi, BLOCK_N):
        n = start_n + offs_n
        k = tl.load(k_base + n[None, :] * stride_kn, mask=n[None, :] < N_CTX, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee") * sm_scale
        qk = tl.where(n[None, :] < N_CTX, qk, float("-inf"))
        if CAUSAL:
            qk = tl.where(offs_m[:, None] >= (start_n + offs_n)[None, :], qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = _exp(qk - m_ij[:, None])
        alpha = _exp(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_base + n[:, None] * stride_vn, mask=n[:, None] < N_CTX, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        m_i = m_ij
    # epilogue
    o_ptrs = Out + off_h * stride_oh + offs_m[:, None] * stride_om + offs_d[None, :] * stride_od
    tl.store(o_ptrs, acc / l_i[:, None], mask=offs_m[:, None] < N_CTX)


def attention(q, k, v, causal=False):
    n_heads, N_CTX, HEAD_DIM = q.shape
    o = torch.empty_like(q)
    sm_scale = HEAD_DIM ** -0.5
    grid = (triton.cdiv(N_CTX, 32), n_heads)
    _attn_fwd[grid](
        q, k, v, o, sm_scale, *q.stride(), *k.stride(), *v.stride(), *o.stride(),
        N_CTX, HEAD_DIM=HEAD_DIM, BLOCK_M=32, BLOCK_N=32, CAUSAL=causal,
    )
    return o
