import torch
from torch import Tensor


class _Tiles:
    def __init__(self, length: int, size: int):
        self.edges = list(range(0, length, size)) + [length]

    def __iter__(self):
        yield from (slice(a, b) for a, b in zip(self.edges, self.edges[1:]))


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    up = torch.promote_types(query.dtype, torch.float32)
    q, k, v, o, L, g = (t.to(up) for t in (query, key, value, output, lse, grad_output))
    c = q.shape[-1] ** -0.5
    delta = torch.einsum("bhne,bhne->bhn", g, o).unsqueeze(-1)
    L = L.unsqueeze(-1)

    dq, dk, dv = map(torch.zeros_like, (q, k, v))
    n = q.shape[2]
    for cols in _Tiles(n, block_size):
        for rows in _Tiles(n, block_size):
            if causal and rows.stop <= cols.start:
                continue
            qt, gt = q[:, :, rows], g[:, :, rows]
            kt, vt = k[:, :, cols], v[:, :, cols]
            z = (qt @ kt.mT).mul(c).sub(L[:, :, rows])
            if causal:
                i = torch.arange(rows.start, rows.stop, device=z.device).view(-1, 1)
                j = torch.arange(cols.start, cols.stop, device=z.device).view(1, -1)
                z = torch.where(i >= j, z, torch.full_like(z, -torch.inf))
            w = z.exp()
            ds = w * (gt @ vt.mT - delta[:, :, rows]) * c
            dv[:, :, cols] += w.mT @ gt
            dk[:, :, cols] += ds.mT @ qt
            dq[:, :, rows] += ds @ kt
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
