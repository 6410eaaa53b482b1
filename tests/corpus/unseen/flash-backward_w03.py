# attn-kata: flash-backward
from __future__ import annotations

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
    acc = torch.promote_types(query.dtype, torch.float32)
    q, k_all, v_all, o, l, do = (t.to(acc) for t in (query, key, value, output, lse, grad_output))
    sm_scale = q.shape[-1] ** -0.5
    q = q * sm_scale
    d_rows = torch.einsum("bhqe,bhqe->bhq", do, o).unsqueeze(-1)
    dq = torch.zeros_like(q)
    dk_tiles: list[Tensor] = []
    dv_tiles: list[Tensor] = []

    offset = 0
    for k, v in zip(k_all.split(block_size, dim=2), v_all.split(block_size, dim=2)):
        s = torch.einsum("bhqd,bhkd->bhqk", q, k)
        if causal:
            hidden = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1 - offset)
            s = s.masked_fill(hidden, float("-inf"))
        p = torch.exp(s - l.unsqueeze(-1))
        dp = torch.einsum("bhqe,bhke->bhqk", do, v)
        ds = p * (dp - d_rows)
        dv_tiles.append(torch.einsum("bhqk,bhqe->bhke", p, do))
        dk_tiles.append(torch.einsum("bhqk,bhqd->bhkd", ds, q) * sm_scale)
        dq += torch.einsum("bhqk,bhkd->bhqd", ds, k) * sm_scale
        offset += k.shape[2]

    dk, dv = torch.cat(dk_tiles, dim=2), torch.cat(dv_tiles, dim=2)
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
