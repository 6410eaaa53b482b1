import torch
from torch import Tensor


def _tile(q: Tensor, k: Tensor, q0: int, k0: int, causal: bool) -> Tensor:
    s = torch.matmul(q, k.transpose(-2, -1)) * q.size(-1) ** -0.5
    if causal:
        qi = torch.arange(q0, q0 + q.size(-2), device=q.device)
        kj = torch.arange(k0, k0 + k.size(-2), device=q.device)
        s = s.masked_fill(qi[:, None] < kj[None, :], torch.finfo(s.dtype).min)
    return s


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int,
                    causal: bool = False) -> Tensor:
    n = query.size(2)
    rows = []
    for q0 in range(0, n, block_size):
        q = query[:, :, q0:q0 + block_size]
        end = min(q0 + block_size, n) if causal else n
        m = z = acc = None
        for k0 in range(0, end, block_size):
            v = value[:, :, k0:k0 + block_size]
            s = _tile(q, key[:, :, k0:k0 + block_size], q0, k0, causal)
            m_new = s.amax(dim=-1, keepdim=True)
            p = torch.exp(s - m_new)
            if m is None:
                z = p.sum(-1, keepdim=True)
                acc = torch.matmul(p, v)
            else:
                alpha = torch.exp(m - m_new)
                z = alpha * z + p.sum(-1, keepdim=True)
                acc = alpha * acc + torch.matmul(p, v)
            m = m_new
        rows.append(acc / z)
    return torch.cat(rows, dim=2)
