# attn-kata: flash
from __future__ import annotations

import math

import torch
from torch import Tensor

BLOCK_M = 64  # queries per program, as in the reference kernel


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    Z, H, N_CTX, HEAD_DIM = query.shape
    sm_scale = 1.0 / math.sqrt(HEAD_DIM)
    acc_type = torch.float32 if query.dtype in (torch.float16, torch.bfloat16) else query.dtype
    offs = torch.arange(N_CTX, device=query.device)
    out = torch.empty_like(query)

    for start_m in range(0, N_CTX, BLOCK_M):
        end_m = min(start_m + BLOCK_M, N_CTX)
        q = query[:, :, start_m:end_m].to(acc_type) * sm_scale
        m_i = q.new_full(q.shape[:-1], float("-inf"))
        l_i = q.new_zeros(q.shape[:-1])
        acc = torch.zeros_like(q)

        for start_n in range(0, N_CTX, block_size):
            if causal and start_n > start_m:
                break
            end_n = min(start_n + block_size, N_CTX)
            k = key[:, :, start_n:end_n].to(acc_type)
            v = value[:, :, start_n:end_n].to(acc_type)
            qk = q @ k.transpose(-2, -1)
            if causal:
                future = offs[start_n:end_n][None, :] > offs[start_m:end_m][:, None]
                qk = qk.masked_fill(future, float("-inf"))
            m_ij = torch.maximum(m_i, qk.amax(-1))
            p = torch.exp(qk - m_ij[..., None])
            alpha = torch.exp(m_i - m_ij)
            l_i = l_i * alpha + p.sum(-1)
            acc = acc * alpha[..., None] + p @ v
            m_i = m_ij

        out[:, :, start_m:end_m] = (acc / l_i[..., None]).to(out.dtype)
    return out
