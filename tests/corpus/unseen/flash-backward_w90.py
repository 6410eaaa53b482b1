from __future__ import annotations

import math

import torch
from torch import Tensor


def _probabilities(query: Tensor, key: Tensor, lse: Tensor, scale: float, first: int | None) -> Tensor:
    scores = query @ key.mT * scale
    p = torch.exp(scores - lse.unsqueeze(-1))
    if first is not None:
        at = torch.arange(query.shape[-2], device=query.device).unsqueeze(1)
        tile = torch.arange(first, first + key.shape[-2], device=query.device)
        p = p * (tile <= at).to(p.dtype)
    return p


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
    scale = 1 / math.sqrt(query.shape[-1])
    delta = (grad_output * output).sum(dim=-1, keepdim=True)
    grad_query = torch.zeros_like(query)
    grad_keys, grad_values = [], []
    first = 0
    for k, v in zip(key.split(block_size, dim=2), value.split(block_size, dim=2)):
        p = _probabilities(query, k, lse, scale, first if causal else None)
        grad_values.append(p.mT @ grad_output)
        ds = p * (grad_output @ v.mT - delta) * scale
        grad_query = grad_query + ds @ k
        grad_keys.append(ds.mT @ query)
        first += k.shape[2]
    return grad_query, torch.cat(grad_keys, dim=2), torch.cat(grad_values, dim=2)
