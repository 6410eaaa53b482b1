# FlashAttention-2 style backward: pass 1 gets the log-sum-exp and the output of every row,
# pass 2 walks over tiles of keys and accumulates.
import math

import torch

BC = 16


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    work = query.dtype if query.dtype == torch.float64 else torch.float32
    q, k, v, g = (t.to(work) for t in (query, key, value, grad_output))
    Lq, Lk, D = q.size(2), k.size(2), q.size(3)
    scale = 1.0 / math.sqrt(D)
    row_pos = torch.arange(Lk - Lq, Lk, device=q.device)[:, None]

    def tile(c0):
        c1 = min(c0 + BC, Lk)
        s = torch.matmul(q, k[:, :, c0:c1].transpose(2, 3)) * scale
        if causal:
            col = torch.arange(c0, c1, device=q.device)[None, :]
            s.masked_fill_(col > row_pos, float("-inf"))
        return c1, s

    # pass 1
    m = torch.full_like(q[..., :1], torch.finfo(work).min)
    l = torch.zeros_like(m)
    o = torch.zeros_like(g)
    for c0 in range(0, Lk, BC):
        c1, s = tile(c0)
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        a, p = torch.exp(m - m_new), torch.exp(s - m_new)
        l = a * l + p.sum(-1, keepdim=True)
        o = a * o + p @ v[:, :, c0:c1]
        m = m_new
    o /= l
    lse = m + l.log()
    delta = (g * o).sum(-1, keepdim=True)

    # pass 2
    dq, dk, dv = torch.zeros_like(q), torch.empty_like(k), torch.empty_like(v)
    for c0 in range(0, Lk, BC):
        c1, s = tile(c0)
        p = torch.exp(s - lse)
        dv[:, :, c0:c1] = p.transpose(2, 3) @ g
        ds = p * (g @ v[:, :, c0:c1].transpose(2, 3) - delta) * scale
        dq += ds @ k[:, :, c0:c1]
        dk[:, :, c0:c1] = ds.transpose(2, 3) @ q
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
