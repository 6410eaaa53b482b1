# right: flash-backward
import math
from torch import arange, cat, finfo, where


def flash_backward(q, k, v, out, lse, dout, block_size, causal=False):
    delta = (out * dout).sum(dim=-1, keepdim=True)
    where_q = arange(q.shape[2], device=q.device)
    tiles = zip(k.split(block_size, dim=2), v.split(block_size, dim=2), where_q.split(block_size))
    dq, dks, dvs = 0, [], []
    for kt, vt, pos in tiles:
        s = (q @ kt.mT) / math.sqrt(q.shape[-1])
        if causal:
            s = where(where_q[:, None] >= pos, s, finfo(s.dtype).min)
        p = (s - lse[..., None]).exp()
        dp = dout @ vt.mT
        ds = (p * dp - p * delta) / math.sqrt(q.shape[-1])
        dq = dq + ds @ kt
        dks += [ds.mT @ q]
        dvs += [p.mT @ dout]
    return dq, cat(dks, 2), cat(dvs, 2)
