import math

import torch


def flash_backward(q, k, v, o, lse, do, block_size, causal=False):
    n, d = q.shape[2], q.shape[3]
    sm_scale = 1.0 / math.sqrt(d)
    dq = torch.zeros_like(q)
    dk = torch.zeros_like(k)
    dv = torch.zeros_like(v)
    delta = (do * o).sum(dim=-1, keepdim=True)
    rows = torch.arange(n, device=q.device)
    for j in range(0, n, block_size):
        end = min(j + block_size, n)
        kj = k[:, :, j:end]
        vj = v[:, :, j:end]
        s = torch.matmul(q, kj.transpose(2, 3)) * sm_scale
        if causal:
            cols = torch.arange(j, end, device=q.device)
            s = s.masked_fill(cols[None, :] > rows[:, None], float("-inf"))
        p = torch.exp(s - lse[..., None])
        dv[:, :, j:end] = torch.matmul(p.transpose(2, 3), do)
        dp = torch.matmul(do, vj.transpose(2, 3))
        ds = p * (dp - delta) * sm_scale
        dk[:, :, j:end] = torch.matmul(ds.transpose(2, 3), q)
        dq = dq + torch.matmul(ds, kj)
    return dq, dk, dv
