from __future__ import annotations

import math
from typing import Final

import torch
from torch import Tensor

NEG_INF: Final[float] = float("-inf")


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
    in_dtype: torch.dtype = query.dtype
    acc_dtype: torch.dtype = torch.promote_types(in_dtype, torch.float32)
    length: int = query.size(-2)
    sm_scale: float = 1.0 / math.sqrt(query.size(-1))

    # the scale goes into q once, so that no tile has to be scaled
    q: Tensor = query.to(acc_dtype) * sm_scale
    do: Tensor = grad_output.to(acc_dtype)
    dsum: Tensor = torch.sum(do * output.to(acc_dtype), dim=-1, keepdim=True)
    lse_col: Tensor = lse.to(acc_dtype).unsqueeze(-1)

    dq: Tensor = torch.zeros_like(q)
    dk_tiles: list[Tensor] = []
    dv_tiles: list[Tensor] = []
    offset: int = 0
    positions: Tensor = torch.arange(length, device=query.device)

    for k_tile, v_tile in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        k: Tensor = k_tile.to(acc_dtype)
        v: Tensor = v_tile.to(acc_dtype)
        width: int = k.size(-2)
        s: Tensor = torch.matmul(q, k.transpose(-1, -2))
        if causal:
            ahead: Tensor = positions[offset : offset + width].view(1, -1) > positions.view(-1, 1)
            s = s.masked_fill(ahead, NEG_INF)
        p: Tensor = torch.exp(s - lse_col)
        dp: Tensor = torch.matmul(do, v.transpose(-1, -2))
        ds: Tensor = p * (dp - dsum)
        dq = dq + torch.matmul(ds, k)
        dk_tiles.append(torch.matmul(ds.transpose(-1, -2), q))
        dv_tiles.append(torch.matmul(p.transpose(-1, -2), do))
        offset += width

    dk: Tensor = torch.cat(dk_tiles, dim=-2)
    dv: Tensor = torch.cat(dv_tiles, dim=-2)
    return dq.to(in_dtype), dk.to(in_dtype), dv.to(in_dtype)
