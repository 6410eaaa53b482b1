import math

import torch
from torch import Tensor


@torch.no_grad()
def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor, grad_output: Tensor,
    block_size: int, causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):  # sums over many tiles want float32
        query, key, value, output, lse, grad_output = (
            t.float() for t in (query, key, value, output, lse, grad_output)
        )
    length, head_dim = query.shape[-2:]
    scale = 1.0 / math.sqrt(head_dim)
    delta = (output * grad_output).sum(dim=-1, keepdim=True)
    grad_query, grad_key, grad_value = (torch.zeros_like(t) for t in (query, key, value))
    place = torch.arange(length, device=query.device)

    for start in range(0, length, block_size):
        tile = slice(start, min(start + block_size, length))
        k, v = key[:, :, tile], value[:, :, tile]
        scores = query @ k.mT * scale
        p = torch.exp(scores - lse.unsqueeze(-1))
        if causal:
            p = p * (place[tile] <= place.unsqueeze(1)).to(p.dtype)
        grad_value[:, :, tile] = p.mT @ grad_output
        ds = p * (grad_output @ v.mT - delta) * scale
        grad_query += ds @ k
        grad_key[:, :, tile] = ds.mT @ query
    return grad_query.to(dtype), grad_key.to(dtype), grad_value.to(dtype)
