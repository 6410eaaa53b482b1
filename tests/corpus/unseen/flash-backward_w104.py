from __future__ import annotations

import math

import torch
from torch import Tensor


def probability(scores: Tensor, lse: Tensor) -> Tensor:
    """exp(score - lse) is at most 1."""
    exponent = scores.sub(lse.unsqueeze(-1))
    return exponent.clamp_(max=0.0).exp_()


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
    dtype = query.dtype
    if dtype != torch.float64:
        query, key, value = query.float(), key.float(), value.float()
        output, lse, grad_output = output.float(), lse.float(), grad_output.float()

    scale = 1.0 / math.sqrt(query.size(-1))
    delta = torch.einsum("bhqe,bhqe->bhq", grad_output, output).unsqueeze(-1)
    position = torch.arange(query.size(2), device=query.device)

    grad_query = torch.zeros_like(query)
    grad_keys, grad_values = [], []
    for k, v, at in zip(
        key.split(block_size, 2), value.split(block_size, 2), position.split(block_size)
    ):
        scores = torch.einsum("bhqd,bhkd->bhqk", query, k) * scale
        if causal:
            scores.masked_fill_(at > position.unsqueeze(-1), -math.inf)
        weights = probability(scores, lse)
        grad_values.append(torch.einsum("bhqk,bhqe->bhke", weights, grad_output))
        grad_scores = torch.einsum("bhqe,bhke->bhqk", grad_output, v)
        grad_scores.sub_(delta).mul_(weights).mul_(scale)
        grad_query += torch.einsum("bhqk,bhkd->bhqd", grad_scores, k)
        grad_keys.append(torch.einsum("bhqk,bhqd->bhkd", grad_scores, query))

    return grad_query.to(dtype), torch.cat(grad_keys, 2).to(dtype), torch.cat(grad_values, 2).to(dtype)
