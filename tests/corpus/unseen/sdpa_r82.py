from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Visibility:
    """What a query may see, from a mask, from causality, or from both."""

    mask: Tensor | None
    causal: bool

    def apply(self, scores: Tensor) -> Tensor:
        if self.mask is not None:
            scores = scores.masked_fill(self.mask == 0, float("-inf"))
        if self.causal:
            scores = scores.masked_fill(self._later(scores), float("-inf"))
        return scores

    @staticmethod
    def _later(scores: Tensor) -> Tensor:
        queries, keys = scores.shape[-2:]
        ones = torch.ones(queries, keys, dtype=torch.bool, device=scores.device)
        return ones.triu(diagonal=keys - queries + 1)


class Scorer:
    def __call__(self, query: Tensor, key: Tensor) -> Tensor:
        return torch.matmul(query, key.transpose(-2, -1)) / query.shape[-1] ** 0.5


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    scores = Visibility(mask, causal).apply(Scorer()(query, key))
    return torch.matmul(torch.softmax(scores, dim=-1), value)
