from __future__ import annotations

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, head_dim = query.shape[-2:]
    dtype = torch.promote_types(query.dtype, torch.float32)
    query = query.to(dtype) * head_dim**-0.5
    places = torch.arange(length, device=query.device)

    output = torch.zeros_like(query)
    log_sum = torch.full_like(query[..., :1], float("-inf"))

    # the newest keys first: the first tile that a query sees then has most of its weight
    for start in reversed(range(0, length, block_size)):
        tile = slice(start, start + block_size)
        scores = query @ key[..., tile, :].to(dtype).mT
        if causal:
            scores = scores.masked_fill(places[tile] > places[:, None], float("-inf"))
        joint = torch.logaddexp(log_sum, scores.logsumexp(-1, keepdim=True))
        output = output * torch.exp(log_sum - joint)
        output = output + torch.exp(scores - joint) @ value[..., tile, :].to(dtype)
        log_sum = joint

    return output.to(value.dtype)
