"""Sliding window by gathering: each query's own `window` keys side by side, no (length, length) scores."""
import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    span = min(window, length)

    back = torch.arange(span - 1, -1, -1, device=query.device)  # how far behind the query
    where = torch.arange(length, device=query.device)[:, None] - back  # (length, span)
    missing = where < 0
    where = where.clamp(min=0)

    near_keys = key[..., where, :]  # (batch, heads, length, span, head_dim)
    near_values = value[..., where, :]
    scores = torch.einsum("bhld,bhlsd->bhls", query, near_keys) / head_dim**0.5
    weights = scores.masked_fill(missing, float("-inf")).softmax(dim=-1)
    return torch.einsum("bhls,bhlsd->bhld", weights, near_values)
