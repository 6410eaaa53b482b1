from __future__ import annotations

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, head_dim = query.shape[-2:]
    largest = torch.zeros_like(query[..., 0])
    total = torch.zeros_like(query[..., 0])
    output = torch.zeros_like(query)
    rows = torch.arange(length, device=query.device)

    for keys, values, columns in zip(
        key.split(block_size, dim=2), value.split(block_size, dim=2), rows.split(block_size)
    ):
        scores = query @ keys.mT / head_dim**0.5  # (batch, heads, length, block)
        if causal:
            scores = scores.masked_fill(columns > rows[:, None], float("-inf"))
        new_largest = torch.maximum(largest, scores.max(dim=-1).values)
        shrink = (largest - new_largest).exp()
        exps = (scores - new_largest[..., None]).exp()
        total = total * shrink + exps.sum(dim=-1)
        output = output * shrink[..., None] + exps @ values
        largest = new_largest
    return output / total[..., None]
