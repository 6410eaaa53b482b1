from __future__ import annotations

import torch
from torch import Tensor


@torch.no_grad()
def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor,
    grad_output: Tensor, block_size: int, causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    softmax_scale = query.size(-1) ** -0.5
    delta = (grad_output * output).sum(-1, keepdim=True)
    lse = lse[..., None]
    length = query.size(-2)
    rows = torch.arange(length, device=query.device)[:, None]

    grad_query = torch.zeros_like(query)
    grad_keys, grad_values = [], []
    start = 0
    for k, v in zip(key.split(block_size, dim=2), value.split(block_size, dim=2)):
        cols = torch.arange(start, start + k.size(2), device=query.device)[None]
        s = torch.einsum("bhqd,bhkd->bhqk", query, k) * softmax_scale
        p = s - lse
        if causal:
            p = torch.where(cols <= rows, p, -torch.inf)
        p = p.exp()
        dp = torch.einsum("bhqv,bhkv->bhqk", grad_output, v)
        ds = p * (dp - delta)
        grad_query += torch.einsum("bhqk,bhkd->bhqd", ds, k) * softmax_scale
        grad_keys.append(torch.einsum("bhqk,bhqd->bhkd", ds, query))
        grad_values.append(torch.einsum("bhqk,bhqv->bhkv", p, grad_output))
        start += k.size(2)
    return grad_query, torch.cat(grad_keys, dim=2), torch.cat(grad_values, dim=2)
