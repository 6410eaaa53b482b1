import math

import torch
from torch import Tensor

LOG2E = 1.4426950408889634


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    # like the triton kernels: exp2 is what the hardware has
    length = query.shape[2]
    work = torch.float64 if query.dtype == torch.float64 else torch.float32
    q = query.to(work) * (LOG2E / math.sqrt(query.shape[3]))

    m_i = torch.full(query.shape[:3], float("-inf"), dtype=work, device=query.device)
    l_i = torch.zeros(query.shape[:3], dtype=work, device=query.device)
    acc = torch.zeros_like(q)
    offs_m = torch.arange(length, device=query.device)

    for start_n in range(0, length, block_size):
        k = key[:, :, start_n:start_n + block_size].to(work)
        v = value[:, :, start_n:start_n + block_size].to(work)
        qk = torch.einsum("zhmd,zhnd->zhmn", q, k)
        if causal:
            offs_n = start_n + torch.arange(k.shape[2], device=query.device)
            qk = torch.where(offs_m[:, None] >= offs_n[None, :], qk, float("-inf"))
        m_ij = torch.maximum(m_i, qk.max(-1).values)
        p = torch.exp2(qk - m_ij[..., None])
        alpha = torch.exp(m_i - m_ij)
        l_i = l_i * alpha + p.sum(-1)
        acc = acc * alpha[..., None] + torch.einsum("zhmn,zhnd->zhmd", p, v)
        m_i = m_ij
    return (acc / l_i[..., None]).to(query.dtype)
