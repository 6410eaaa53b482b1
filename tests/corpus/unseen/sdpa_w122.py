import math
from typing import Optional

import torch


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Optional[torch.Tensor] = None,
    causal: bool = False,
) -> torch.Tensor:
    q_len, k_len = query.size(-2), key.size(-2)

    # a single key takes the whole weight
    if k_len == 1:
        return value

    allowed = query.new_ones((q_len, k_len), dtype=torch.bool)
    if causal:
        allowed = allowed.tril(diagonal=k_len - q_len)
    if mask is not None:
        allowed = allowed & mask.bool()

    scores = query.matmul(key.transpose(-2, -1)).div(math.sqrt(query.size(-1)))
    return scores.masked_fill(~allowed, -math.inf).softmax(dim=-1).matmul(value)
