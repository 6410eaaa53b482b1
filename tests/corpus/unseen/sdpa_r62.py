# Attention, streamed over slabs of keys. Index names as in my old F77 code: n* are extents,
# j0/j1 the slab bounds.
import math
import torch

NB = 96


def attention(query, key, value, mask=None, causal=False):
    nq, nd = query.shape[-2], query.shape[-1]
    nk, nv = key.shape[-2], value.shape[-1]
    wp = torch.promote_types(query.dtype, torch.float32)      # working precision
    dev = query.device

    jpos = torch.arange(nk, device=dev)
    ok = jpos.new_ones(nq, nk, dtype=torch.bool)
    if mask is not None:
        ok = torch.logical_and(ok, mask != 0)
    if causal:
        ipos = torch.arange(nq, device=dev) + (nk - nq)
        ok = torch.logical_and(ok, torch.le(jpos[None, :], ipos[:, None]))

    q = query.to(wp) / math.sqrt(nd)
    rmax = torch.full((*query.shape[:-1], 1), -math.inf, dtype=wp, device=dev)
    denom = torch.zeros_like(rmax)
    numer = torch.zeros((*query.shape[:-1], nv), dtype=wp, device=dev)

    j0 = 0
    while j0 < nk:
        j1 = min(j0 + NB, nk)
        s = torch.matmul(q, key[..., j0:j1, :].to(wp).transpose(-2, -1))
        s = s.masked_fill(torch.logical_not(ok[..., j0:j1]), -math.inf)
        with torch.no_grad():
            smax = torch.maximum(rmax, s.amax(-1, keepdim=True))
            shift = torch.where(torch.isinf(smax), torch.zeros_like(smax), smax)
            shrink = torch.exp(rmax - shift)
        p = torch.exp(s - shift)
        denom = denom * shrink + p.sum(-1, keepdim=True)
        numer = numer * shrink + torch.matmul(p, value[..., j0:j1, :].to(wp))
        rmax = smax
        j0 = j1

    denom = torch.where(denom == 0, torch.ones_like(denom), denom)
    return (numer / denom).to(value.dtype)
