# Queries lose their heads' axis: everything is (batch * heads, ..., ...), one bmm after another.
import math

import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    to = torch.float64 if query.dtype is torch.float64 else torch.float32
    lead = query.shape[:2]
    q, k, v, o, l, g = (t.flatten(0, 1).to(to) for t in (query, key, value, output, lse, grad_output))
    T, d = q.shape[1:]
    D = (g * o).sum(2, keepdim=True)
    L = l.unsqueeze(2)
    gq, gk, gv = torch.zeros_like(q), [], []
    end = 0
    for kt, vt in zip(k.split(block_size, 1), v.split(block_size, 1)):
        start, end = end, end + kt.shape[1]
        low = start if causal else 0                    # queries before the tile see none of it
        qt, gt = q[:, low:], g[:, low:]
        a = torch.baddbmm(-L[:, low:], qt, kt.mT, alpha=1 / math.sqrt(d))
        if causal:
            # row r of what is left is query low + r, column c is key start + c = low + c
            a = torch.where(torch.ones(a.shape[1:], dtype=torch.bool, device=a.device).tril(), a, -math.inf)
        p = torch.exp(a)
        gv.append(p.mT.bmm(gt))
        e = p.mul(torch.baddbmm(-D[:, low:], gt, vt.mT)).div(math.sqrt(d))
        gk.append(e.mT.bmm(qt))
        gq[:, low:].baddbmm_(e, kt)
    back = lambda t: t.unflatten(0, lead).to(query.dtype)  # noqa: E731
    return back(gq), back(torch.cat(gk, 1)), back(torch.cat(gv, 1))
