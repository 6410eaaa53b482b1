from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def local_mask(seqlen: int, window_size: tuple[int, int], device) -> Tensor:
    """window_size (left, right) as in flash_attn_func: keys from i - left to i + right."""
    left, right = window_size
    row_idx = torch.arange(seqlen, device=device)[:, None]
    col_idx = torch.arange(seqlen, device=device)[None, :]
    return (col_idx > row_idx + right) | (col_idx < row_idx - left)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
    masked = local_mask(query.shape[2], (window, 0), query.device)
    scores = scores.masked_fill(masked, float("-inf"))
    probs = F.softmax(scores, dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", probs, value)
