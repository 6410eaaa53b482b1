from __future__ import annotations

import torch
from torch import Tensor


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
    n = query.size(2)
    root = query.size(3) ** 0.5
    D = torch.einsum("bhnv,bhnv->bhn", grad_output, output)
    i = torch.arange(n, device=query.device)
    grad_query = torch.zeros_like(query)
    key_parts, value_parts = [], []
    tiles = zip(key.split(block_size, 2), value.split(block_size, 2), i.split(block_size))
    for K, V, j in tiles:
        P = torch.exp(torch.einsum("bhnd,bhmd->bhnm", query, K) / root - lse.unsqueeze(-1))
        if causal:
            P = P * (j[None, :] <= i[:, None])
        value_parts.append(torch.einsum("bhnm,bhnv->bhmv", P, grad_output))
        dP = torch.einsum("bhnv,bhmv->bhnm", grad_output, V)
        dS = P * (dP - D.unsqueeze(-1)) / root
        grad_query += torch.einsum("bhnm,bhmd->bhnd", dS, K)
        key_parts.append(torch.einsum("bhnm,bhnd->bhmd", dS, query))
    return grad_query, torch.cat(key_parts, 2), torch.cat(value_parts, 2)
