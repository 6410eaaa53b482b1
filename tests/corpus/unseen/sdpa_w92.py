# attn-kata: sdpa
import math

import torch
from torch import Tensor


def _hidden(n: int, m: int, mask: Tensor | None, causal: bool, device) -> Tensor | None:
    """True where a query may not look; None where it may look everywhere"""
    if mask is not None:
        return mask == 0
    if causal:
        return torch.ones(n, m, dtype=torch.bool, device=device).triu(m - n + 1)
    return None


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(key.shape[-1])
    hide = _hidden(query.shape[-2], key.shape[-2], mask, causal, query.device)
    if hide is not None:
        scores = scores.masked_fill(hide, float("-inf"))
    return torch.matmul(scores.softmax(dim=-1), value)
