# wrong: flash-backward causal-stops-early line 32
"""Query tiles and key tiles differ in size (as BLOCK_M and BLOCK_N in Triton)."""
import math

import torch

BLOCK_M = 32


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    f = torch.float64 if query.dtype is torch.float64 else torch.float32
    N = query.shape[2]
    BLOCK_N = block_size
    sm_scale = 1 / math.sqrt(query.shape[3])

    DQ = torch.zeros(query.shape, dtype=f, device=query.device)
    DK = torch.zeros(key.shape, dtype=f, device=query.device)
    DV = torch.zeros(value.shape, dtype=f, device=query.device)

    for m0 in range(0, N, BLOCK_M):
        m1 = min(N, m0 + BLOCK_M)
        q = query[:, :, m0:m1].to(f)
        do = grad_output[:, :, m0:m1].to(f)
        l = lse[:, :, m0:m1, None].to(f)
        Di = (do * output[:, :, m0:m1].to(f)).sum(3, keepdim=True)
        offs_m = torch.arange(m0, m1, device=q.device)

        for n0 in range(0, N, BLOCK_N):
            n1 = min(N, n0 + BLOCK_N)
            # tiles above the diagonal hold nothing
            if causal and m0 < n0:
                break
            k = key[:, :, n0:n1].to(f)
            v = value[:, :, n0:n1].to(f)
            qk = torch.einsum("zhmd,zhnd->zhmn", q, k) * sm_scale
            if causal:
                offs_n = torch.arange(n0, n1, device=q.device)
                qk = torch.where(offs_m[:, None] >= offs_n[None, :], qk, float("-inf"))
            p = torch.exp(qk - l)
            DV[:, :, n0:n1] += torch.einsum("zhmn,zhme->zhne", p, do)
            dp = torch.einsum("zhme,zhne->zhmn", do, v)
            ds = p * (dp - Di) * sm_scale
            DK[:, :, n0:n1] += torch.einsum("zhmn,zhmd->zhnd", ds, q)
            DQ[:, :, m0:m1] += torch.einsum("zhmn,zhnd->zhmd", ds, k)

    return DQ.to(query.dtype), DK.to(key.dtype), DV.to(value.dtype)
