import math

import torch
from torch import Tensor

QUERIES_AT_ONCE = 128


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """The weights are made again for 128 queries at a time."""
    scale = 1.0 / math.sqrt(query.size(-1))
    n, m = query.size(2), key.size(2)
    grad_query, grad_key, grad_value = (torch.zeros_like(t) for t in (query, key, value))
    places = torch.arange(m, device=key.device)
    for start in range(0, n, QUERIES_AT_ONCE):
        rows = slice(start, min(start + QUERIES_AT_ONCE, n))
        q, do = query[:, :, rows], grad_output[:, :, rows]
        scores = q @ key.mT * scale
        if causal:
            own = places[m - n :][rows].unsqueeze(1)
            scores = scores.masked_fill(places > own, -math.inf)
        p = scores.softmax(dim=-1)
        dp = do @ value.mT
        ds = p * (dp - (p * dp).sum(dim=-1, keepdim=True)) * scale
        grad_value += p.mT @ do
        grad_query[:, :, rows] = ds @ key
        grad_key[:] = ds.mT @ q
    return grad_query, grad_key, grad_value
