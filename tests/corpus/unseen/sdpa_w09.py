# attn-kata: sdpa
import math

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    elif causal:
        future = torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1)
        scores = scores.masked_fill(future, -math.inf)
    return scores.softmax(dim=-1) @ value
