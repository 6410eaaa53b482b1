"""With an additive mask, in the manner of transformers."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def _make_sliding_window_mask(length: int, sliding_window: int, dtype, device) -> Tensor:
    tensor = torch.full((length, length), fill_value=1, device=device)
    mask = torch.tril(tensor, diagonal=0)
    mask = torch.triu(mask, diagonal=-sliding_window + 1)
    bias = torch.zeros(length, length, dtype=dtype, device=device)
    return bias.masked_fill(mask == 0, torch.finfo(dtype).min)


def sliding_window_attention(
    query: Tensor, key: Tensor, value: Tensor, sliding_window: int, dropout: float = 0.0
) -> Tensor:
    attn_weights = torch.matmul(query, key.transpose(2, 3)) * query.shape[-1] ** -0.5
    attn_weights = attn_weights + _make_sliding_window_mask(
        query.shape[-2], sliding_window, query.dtype, query.device
    )
    attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32)
    return torch.matmul(attn_weights.to(query.dtype), value)
