import math
import torch
from torch import Tensor

Q_TILE = 16  # queries per outer tile, as BLOCK_M in the Triton tutorial


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    batch, heads, n_ctx, d_head = query.shape
    qk_scale = 1.0 / math.sqrt(d_head)
    out = torch.zeros_like(query)

    for start_m in range(0, n_ctx, Q_TILE):
        end_m = min(start_m + Q_TILE, n_ctx)
        offs_m = torch.arange(start_m, end_m, device=query.device)
        q = query[..., start_m:end_m, :].float() if query.dtype != torch.float64 else query[..., start_m:end_m, :]
        m_i = torch.full_like(q[..., :1], -1e38)
        l_i = torch.zeros_like(q[..., :1])
        acc = torch.zeros_like(q)

        for start_n in range(0, n_ctx, block_size):
            if causal and start_n > start_m:
                break
            end_n = min(start_n + block_size, n_ctx)
            offs_n = torch.arange(start_n, end_n, device=query.device)
            qk = (q @ key[..., start_n:end_n, :].to(q.dtype).mT) * qk_scale
            if causal:
                qk = qk.masked_fill(offs_m[:, None] < offs_n[None, :], float("-inf"))
            m_ij = torch.maximum(m_i, qk.amax(-1, keepdim=True))
            p = torch.exp(qk - m_ij)
            alpha = torch.exp(m_i - m_ij)
            l_i = l_i * alpha + p.sum(-1, keepdim=True)
            acc = acc * alpha + p @ value[..., start_n:end_n, :].to(q.dtype)
            m_i = m_ij

        out[..., start_m:end_m, :] = (acc / l_i).to(out.dtype)
    return out
