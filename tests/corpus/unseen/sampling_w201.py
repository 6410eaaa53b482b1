# attn-kata: sampling
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class SamplingParams:
    """The settings of one request, validated."""

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    penalty: float = 1.0

    def __post_init__(self) -> None:
        if self.temperature <= 0:
            raise ValueError("temperature has to be above 0")
        if not 0 < self.top_p <= 1:
            raise ValueError("top_p has to be in (0, 1]")

    @property
    def penalizes(self) -> bool:
        return self.penalty != 1.0


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter_(1, tokens, True)
    lowered = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, lowered, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    values, indices = logits.topk(k, dim=-1)
    return torch.full_like(logits, float("-inf")).scatter_(-1, indices, values)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    values, indices = logits.sort(dim=-1, descending=True)
    probs = values.softmax(dim=-1)
    exclusive = probs.cumsum(dim=-1) - probs
    values = values.masked_fill(exclusive >= p, float("-inf"))
    return torch.empty_like(logits).scatter_(-1, indices, values)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=-1)
    limit = p * probs.amax(dim=-1, keepdim=True)
    return logits.masked_fill(probs < limit, float("-inf"))


class Sampler:
    def __init__(self, params: SamplingParams) -> None:
        self.params = params

    def __call__(self, logits: Tensor, tokens: Tensor) -> Tensor:
        params = self.params
        if params.penalizes:
            logits = penalize(logits, tokens, params.penalty)
        logits = logits.div_(params.temperature)
        if params.top_k:
            logits = keep_top_k(logits, params.top_k)
        if params.top_p < 1.0:
            logits = keep_top_p(logits, params.top_p)
        if params.min_p:
            logits = keep_min_p(logits, params.min_p)
        return logits.softmax(dim=-1)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    params = SamplingParams(temperature, top_k, top_p, min_p, penalty)
    return Sampler(params)(logits, tokens)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(dim=-1) > uniform[:, None]
    above[:, -1] |= ~above.any(dim=-1)
    return above.to(torch.uint8).argmax(dim=-1)
