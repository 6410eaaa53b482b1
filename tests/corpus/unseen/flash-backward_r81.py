from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor


def _spans(length: int, size: int) -> Iterator[tuple[int, int]]:
    for lo in range(0, length, size):
        yield lo, min(lo + size, length)


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
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v, o, m, do = (t.to(wide) for t in (query, key, value, output, lse, grad_output))
    n = q.shape[-2]
    c = 1.0 / math.sqrt(q.shape[-1])
    delta = torch.einsum("bhld,bhld->bhl", do, o)

    dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for q0, q1 in _spans(n, block_size):
        for k0, k1 in _spans(q1 if causal else n, block_size):
            Q, dO = q[:, :, q0:q1], do[:, :, q0:q1]
            K, V = k[:, :, k0:k1], v[:, :, k0:k1]
            e = torch.einsum("bhid,bhjd->bhij", Q, K) * c - m[:, :, q0:q1, None]
            if causal and k1 > q0 + 1:
                i = torch.arange(q0, q1, device=e.device)
                j = torch.arange(k0, k1, device=e.device)
                e.masked_fill_(j[None, :] > i[:, None], -math.inf)
            p = e.exp_()
            ds = p * (torch.einsum("bhie,bhje->bhij", dO, V) - delta[:, :, q0:q1, None]) * c
            dv[:, :, k0:k1] += torch.einsum("bhij,bhie->bhje", p, dO)
            dk[:, :, k0:k1] += torch.einsum("bhij,bhid->bhjd", ds, Q)
            dq[:, :, q0:q1] += torch.einsum("bhij,bhjd->bhid", ds, K)
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
