from typing import Iterator

import torch
from torch import Tensor


def tiles(length: int, size: int) -> Iterator[slice]:
    begin = 0
    while begin < length:
        yield slice(begin, min(begin + size, length))
        begin += size


def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor,
    grad_output: Tensor, block_size: int, causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = query.dtype
    if dtype in (torch.half, torch.bfloat16):
        query, key, value, output, lse, grad_output = (
            t.float() for t in (query, key, value, output, lse, grad_output)
        )
    length, width = query.shape[-2:]
    tau = width ** -0.5
    row_dot = torch.einsum("bhte,bhte->bht", value, grad_output)
    where_q = torch.arange(length, device=query.device)

    grad_query = torch.zeros_like(query)
    grads_k, grads_v = [], []
    for tile in tiles(length, block_size):
        k, v = key[..., tile, :], value[..., tile, :]
        scores = tau * torch.einsum("bhtd,bhsd->bhts", query, k)
        if causal:
            future = where_q[tile][None, :] > where_q[:, None]
            scores = scores.masked_fill(future, -torch.inf)
        probs = torch.exp(scores - lse[..., None])
        grad_probs = torch.einsum("bhte,bhse->bhts", grad_output, v)
        grad_scores = probs * (grad_probs - row_dot[..., None])
        grads_v.append(torch.einsum("bhts,bhte->bhse", probs, grad_output))
        grads_k.append(tau * torch.einsum("bhts,bhtd->bhsd", grad_scores, query))
        grad_query += tau * torch.einsum("bhts,bhsd->bhtd", grad_scores, k)
    return (
        grad_query.to(dtype),
        torch.cat(grads_k, dim=2).to(dtype),
        torch.cat(grads_v, dim=2).to(dtype),
    )
