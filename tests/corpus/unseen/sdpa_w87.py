import math

import torch
from torch import Tensor


def _to_four_axes(mask: Tensor) -> Tensor:
    """Bring a mask to (batch, heads, query, key)."""
    if mask.dim() == 2:
        return mask[:, None, None, :]
    if mask.dim() == 3:
        return mask.unsqueeze(1)
    return mask


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    q_len, k_len = scores.shape[-2:]
    hidden = torch.zeros(1, 1, q_len, k_len, dtype=torch.bool, device=scores.device)
    if causal:
        rows = torch.arange(q_len, device=scores.device)[:, None] + (k_len - q_len)
        cols = torch.arange(k_len, device=scores.device)[None, :]
        hidden = hidden | (cols > rows)
    if mask is not None:
        hidden = hidden | (_to_four_axes(mask) == 0)
    scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    return torch.matmul(scores.softmax(dim=-1), value)
