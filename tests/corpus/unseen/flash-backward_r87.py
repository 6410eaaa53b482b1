from __future__ import annotations

from collections import namedtuple

import torch
from torch import Tensor

Plan = namedtuple("Plan", "bk tri sm n", defaults=(128, False, 1.0, 0))


def _tile(q: Tensor, do: Tensor, stats: Tensor, k: Tensor, v: Tensor, j0: int, plan: Plan):
    """A tile of keys against the queries that can see it. stats is (…, rows, 2): lse and D."""
    row0 = j0 if plan.tri else 0  # rows ahead of the tile see nothing of it
    q, do = q[..., row0:, :], do[..., row0:, :]
    lse, big_d = stats[..., row0:, :].unbind(-1)
    expo = torch.matmul(q, k.transpose(-1, -2)).mul_(plan.sm).sub_(lse.unsqueeze(-1))
    if plan.tri:
        r, c = expo.shape[-2:]
        later = torch.ones(r, c, dtype=torch.bool, device=q.device).triu(1)
        expo.masked_fill_(later, -torch.inf)
    p = expo.exp_()
    dv = torch.matmul(p.transpose(-1, -2), do)
    ds = torch.matmul(do, v.transpose(-1, -2)).sub_(big_d.unsqueeze(-1)).mul_(p).mul_(plan.sm)
    return row0, torch.matmul(ds, k), torch.matmul(ds.transpose(-1, -2), q), dv


@torch.no_grad()
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
    dt = query.dtype
    up = torch.promote_types(dt, torch.float32)
    q, k, v, o, do = (t.to(up) for t in (query, key, value, output, grad_output))
    plan = Plan(bk=block_size, tri=causal, sm=q.shape[-1] ** -0.5, n=q.shape[-2])
    stats = torch.stack((lse.to(up), (do * o).sum(-1)), dim=-1)

    dq = torch.zeros_like(q)
    dks, dvs = [], []
    for j0 in range(0, plan.n, plan.bk):
        part = slice(j0, j0 + plan.bk)
        row0, dq_part, dk, dv = _tile(q, do, stats, k[..., part, :], v[..., part, :], j0, plan)
        dq[..., row0:, :] += dq_part
        dks.append(dk)
        dvs.append(dv)
    return dq.to(dt), torch.cat(dks, -2).to(dt), torch.cat(dvs, -2).to(dt)
