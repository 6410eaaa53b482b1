from __future__ import annotations

import math
from typing import Tuple

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
) -> Tuple[Tensor, Tensor, Tensor]:
    assert query.shape == key.shape
    assert value.shape == output.shape == grad_output.shape
    assert lse.shape == query.shape[:3]
    assert block_size >= 1
    length, head_dim = query.shape[2:]
    acc: torch.dtype = torch.promote_types(query.dtype, torch.float32)
    scale: float = 1.0 / math.sqrt(head_dim)

    delta: Tensor = (grad_output.to(acc) * output.to(acc)).sum(dim=-1)
    assert delta.shape == lse.shape
    dq: Tensor = torch.zeros_like(query, dtype=acc)
    dk: Tensor = torch.zeros_like(key, dtype=acc)
    dv: Tensor = torch.zeros_like(value, dtype=acc)

    for q0 in range(0, length, block_size):
        q1: int = min(q0 + block_size, length)
        q: Tensor = query[:, :, q0:q1].to(acc)
        do: Tensor = grad_output[:, :, q0:q1].to(acc)
        row: Tensor = torch.arange(q0, q1, device=query.device)[:, None]
        for k0 in range(0, length, block_size):
            if causal and k0 >= q1 - 1:  # the rest lies behind the last row
                break
            k1: int = min(k0 + block_size, length)
            k: Tensor = key[:, :, k0:k1].to(acc)
            v: Tensor = value[:, :, k0:k1].to(acc)
            s: Tensor = (q @ k.transpose(-1, -2)) * scale
            if causal:
                col: Tensor = torch.arange(k0, k1, device=query.device)[None, :]
                s = s.masked_fill(col > row, -math.inf)
            p: Tensor = torch.exp(s - lse[:, :, q0:q1, None].to(acc))
            dv[:, :, k0:k1] += p.transpose(-1, -2) @ do
            ds: Tensor = p * (do @ v.transpose(-1, -2) - delta[:, :, q0:q1, None])
            assert ds.shape[-2:] == (q1 - q0, k1 - k0)
            dq[:, :, q0:q1] += ds @ k * scale
            dk[:, :, k0:k1] += ds.transpose(-1, -2) @ q * scale

    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
