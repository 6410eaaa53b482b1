from __future__ import annotations

import torch
from torch import Tensor


class Penalty:
    """What is added to the scores: log 1 = 0 where a query may attend, log 0 = -inf where not.

    Logarithms turn "and" into a sum, so two masks are simply added.
    """

    def __init__(self, like: Tensor) -> None:
        self.dtype, self.device = like.dtype, like.device
        self.value = torch.zeros((), dtype=self.dtype, device=self.device)

    def also(self, allowed: Tensor | None) -> "Penalty":
        if allowed is not None:
            self.value = self.value + (allowed != 0).to(device=self.device, dtype=self.dtype).log()
        return self


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    *_, q_len, dim = query.shape
    k_len = key.size(-2)
    past = torch.ones(q_len, k_len, device=query.device).tril(k_len - q_len) if causal else None
    penalty = Penalty(query).also(mask).also(past).value
    # each side takes half of the scale: in half precision neither product grows too large
    root = dim**0.25
    scores = (query / root) @ (key / root).transpose(-2, -1) + penalty
    return scores.softmax(dim=-1) @ value
