from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace

import torch
from torch import Tensor

NEVER = float("-inf")
GNMT = SimpleNamespace(offset=5, unit=6)
Shape = namedtuple("Shape", "b k v")


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    scores, tokens = logits.log_softmax(dim=1).topk(beams, dim=1)

    def copies(cache: Tensor) -> Tensor:
        return cache.unsqueeze(1).expand(-1, beams, *cache.shape[1:]).flatten(0, 1)

    return scores, tokens, copies(keys), copies(values)


def _sample_step(score: Tensor, logp: Tensor, over: Tensor, eos: int):
    """One sample: (k,), (k, v), (k,) -> scores, parents and tokens of its new beams, best first."""
    k, v = logp.shape
    stay = torch.full_like(logp, NEVER)
    stay[:, eos] = 0
    candidates = score[:, None] + torch.where(over[:, None], stay, logp)
    best = candidates.reshape(-1).sort(descending=True)
    place = best.indices[:k]
    return best.values[:k], place.div(v, rounding_mode="floor"), place.remainder(v)


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    n = Shape(*scores.shape, logits.size(-1))
    logp = logits.log_softmax(-1).reshape(*n)
    steps = [_sample_step(*row, eos) for row in zip(scores, logp, finished)]
    scores, parents, tokens = (torch.stack(column) for column in zip(*steps))

    def inherit(cache: Tensor) -> Tensor:
        by_sample = cache.unflatten(0, (n.b, n.k))
        return torch.cat([own[parent] for own, parent in zip(by_sample, parents)])

    over = finished.take_along_dim(parents, dim=1) | tokens.eq(eos)
    return scores, tokens, parents, over, inherit(keys), inherit(values)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, _, beams = tokens.shape
    at = torch.arange(beams, device=tokens.device).expand_as(tokens[0])

    def walk(step: int, at: Tensor):
        while step >= 0:
            yield tokens[step].gather(1, at)
            at = parents[step].long().gather(1, at) if step else at
            step -= 1

    return torch.stack([*walk(steps - 1, at)][::-1], dim=-1)


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    penalty = ((GNMT.offset + lengths.to(scores.dtype)) / GNMT.unit).pow(alpha)
    top = (scores / penalty).max(dim=1)
    chosen = sequences[torch.arange(len(sequences), device=scores.device), top.indices]
    return chosen, top.values
