from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    B, H, N, E = query.shape
    q, k = (t.reshape(B * H, N, E).to(wide) for t in (query, key))
    v, o, g = (t.reshape(B * H, N, -1).to(wide) for t in (value, output, grad_output))
    L = lse.reshape(B * H, N, 1).to(wide)
    q = q / math.sqrt(E)
    D = torch.bmm(g.unsqueeze(2).flatten(0, 1), o.unsqueeze(3).flatten(0, 1)).view(B * H, N, 1)
    spans = [(a, min(a + block_size, N)) for a in range(0, N, block_size)]

    def weights(i, j):
        (a, b), (c, d) = i, j
        s = torch.bmm(q[:, a:b], k[:, c:d].transpose(1, 2)) - L[:, a:b]
        if causal and a == c:
            s = s + torch.full((b - a, d - c), -math.inf, dtype=wide, device=s.device).triu(1)
        return torch.exp(s)

    def sees(i, j):
        return not causal or i[0] >= j[0]

    def ds(i, j, p):
        return p * (torch.bmm(g[:, i[0] : i[1]], v[:, j[0] : j[1]].transpose(1, 2)) - D[:, i[0] : i[1]])

    dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for j in spans:
        for i in filter(lambda i: sees(i, j), spans):
            p = weights(i, j)
            e = ds(i, j, p)
            dq[:, i[0] : i[1]] += torch.bmm(e, k[:, j[0] : j[1]])
            dk[:, j[0] : j[1]] += torch.bmm(e.transpose(1, 2), q[:, i[0] : i[1]])
            dv[:, j[0] : j[1]] += torch.bmm(p.transpose(1, 2), g[:, i[0] : i[1]])
    dq = dq / math.sqrt(E)
    return tuple(a.view_as(b).to(b.dtype) for a, b in ((dq, query), (dk, key), (dv, value)))
