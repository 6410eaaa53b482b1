import math

import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Row by row: what a query sees is its own key and the window - 1 keys before it."""
    scale = 1.0 / math.sqrt(query.size(-1))
    length = query.size(2)
    older = window - 1
    rows = []
    for i in range(length):
        past_k, past_v = key[:, :, :i], value[:, :, :i]
        past_k, past_v = past_k[:, :, -older:], past_v[:, :, -older:]
        k = torch.cat([past_k, key[:, :, i : i + 1]], dim=2)
        v = torch.cat([past_v, value[:, :, i : i + 1]], dim=2)
        scores = (query[:, :, i : i + 1] @ k.transpose(-2, -1)) * scale
        rows.append(scores.softmax(dim=-1) @ v)
    return torch.cat(rows, dim=2)
