import math
from functools import partial

import torch


def one_tile(lo, hi, *, q, k, v, g, lse, D, causal):
    """dk, dv of the keys lo ... hi - 1, and what they add to the dq of the rows first ... end."""
    first = lo if causal else 0  # earlier rows see nothing here
    q, g, lse, D = q[:, first:], g[:, first:], lse[:, first:], D[:, first:]
    kt, vt = k[:, lo:hi], v[:, lo:hi]
    s = torch.einsum("xqd,xkd->xqk", q, kt) - lse
    if causal:
        row = torch.arange(q.size(1), device=q.device)[:, None]
        s = torch.where(torch.arange(hi - lo, device=q.device) <= row, s, s.new_full((), -math.inf))
    p = torch.exp(s)
    ds = torch.einsum("xqe,xke->xqk", g, vt).sub(D).mul(p)
    return first, ds @ kt, torch.einsum("xqk,xqd->xkd", ds, q), torch.einsum("xqk,xqe->xke", p, g)


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    b, h, n, d = query.shape
    flat = lambda t: t.reshape(b * h, n, -1).to(torch.promote_types(t.dtype, torch.float32))
    q, k, v, o, l, g = map(flat, (query, key, value, output, lse, grad_output))
    root = 1.0 / math.sqrt(d)
    q = q * root  # so dk comes out scaled; dq is scaled at the end
    work = partial(one_tile, q=q, k=k, v=v, g=g, lse=l, D=(o * g).sum(-1, keepdim=True), causal=causal)

    dq, dks, dvs = torch.zeros_like(q), [], []
    for lo in range(0, n, block_size):
        first, part, dk, dv = work(lo, min(lo + block_size, n))
        dq[:, first:].add_(part)
        dks.append(dk)
        dvs.append(dv)
    back = lambda t, like: t.view(like.shape).to(like.dtype)
    return back(dq.mul_(root), query), back(torch.cat(dks, 1), key), back(torch.cat(dvs, 1), value)
