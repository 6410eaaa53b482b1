# attn-kata: flash
from __future__ import annotations

import math

import torch
from torch import Tensor


def _attn_fwd_inner(acc, l_i, m_i, q, k, v, qk_scale, offs_m, offs_n, STAGE):
    # -- compute qk ----
    qk = torch.einsum("bhmd,bhnd->bhmn", q, k) * qk_scale
    if STAGE == "on_band":
        qk = qk.masked_fill(offs_n[None, :] > offs_m[:, None], float("-inf"))
    m_ij = torch.maximum(m_i, qk.amax(dim=-1))
    p = torch.exp(qk - m_ij[..., None])
    # -- update m_i, l_i and the accumulator ----
    alpha = torch.exp(m_i - m_ij)
    l_i = l_i * alpha + p.sum(dim=-1)
    acc = acc * alpha[..., None] + torch.einsum("bhmn,bhnd->bhmd", p, v)
    return acc, l_i, m_ij


@torch.no_grad()
def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """Transcribed from the Triton tutorial: program ids become two Python loops."""
    Z, H, N_CTX, HEAD_DIM = query.shape
    BLOCK_M = BLOCK_N = block_size
    sm_scale = 1.0 / math.sqrt(HEAD_DIM)
    acc_type = torch.float32 if query.dtype in (torch.float16, torch.bfloat16) else query.dtype
    offs = torch.arange(N_CTX, device=query.device)
    o = torch.empty_like(query)

    for start_m in range(0, N_CTX, BLOCK_M):
        rows = slice(start_m, min(start_m + BLOCK_M, N_CTX))
        q = query[:, :, rows].to(acc_type)
        m_i = torch.full(q.shape[:-1], float("-inf"), dtype=acc_type, device=q.device)
        l_i = torch.zeros_like(m_i)
        acc = torch.zeros_like(q)
        for start_n in range(0, N_CTX, BLOCK_N):
            if causal and start_n >= rows.stop:
                break
            cols = slice(start_n, min(start_n + BLOCK_N, N_CTX))
            stage = "on_band" if causal and cols.stop - 1 > start_m else "off_band"
            acc, l_i, m_i = _attn_fwd_inner(
                acc, l_i, m_i, q, key[:, :, cols].to(acc_type), value[:, :, cols].to(acc_type),
                sm_scale, offs[rows], offs[cols], stage,
            )  # fmt: skip
        o[:, :, rows] = (acc / l_i[..., None]).to(o.dtype)
    return o
