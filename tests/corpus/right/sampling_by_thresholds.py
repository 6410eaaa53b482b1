# right: sampling
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class SamplingParams:
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    penalty: float = 1.0


def _at_least(logits: Tensor, threshold: Tensor) -> Tensor:
    return torch.where(logits >= threshold, logits, float("-inf"))


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    counts = torch.zeros_like(logits).scatter_add(1, tokens, torch.ones_like(tokens, dtype=logits.dtype))
    lowered = torch.minimum(logits / penalty, logits * penalty)
    return torch.where(counts > 0, lowered, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    kth = torch.kthvalue(logits, logits.shape[-1] - k + 1, dim=-1, keepdim=True).values
    return _at_least(logits, kth)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    ordered = torch.sort(logits, dim=-1, descending=True).values
    sums = torch.softmax(ordered, dim=-1).cumsum(dim=-1)
    count = (sums < p).sum(dim=-1, keepdim=True)
    count = count.clamp(max=logits.shape[-1] - 1)
    return _at_least(logits, ordered.gather(-1, count))


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    largest = logits.max(dim=-1, keepdim=True).values
    return _at_least(logits, largest + torch.tensor(p, dtype=logits.dtype, device=logits.device).log())


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
    out = penalize(logits, tokens, params.penalty) / params.temperature
    out = keep_top_k(out, params.top_k or logits.shape[-1])
    out = keep_top_p(out, params.top_p)
    out = keep_min_p(out, params.min_p)
    return torch.softmax(out, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    edges = probs.cumsum(dim=-1)
    inside = (edges > uniform[:, None]) & (edges - probs <= uniform[:, None])
    return inside.to(torch.uint8).argmax(dim=-1)
