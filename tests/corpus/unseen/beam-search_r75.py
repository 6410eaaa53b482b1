from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Start(NamedTuple):
    scores: Tensor
    tokens: Tensor
    keys: Tensor
    values: Tensor


class Step(NamedTuple):
    scores: Tensor
    tokens: Tensor
    parents: Tensor
    finished: Tensor
    keys: Tensor
    values: Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int) -> Start:
    scores, tokens = logits.log_softmax(dim=-1).topk(beams, dim=-1)
    keys, values = (cache.repeat_interleave(beams, dim=0) for cache in (keys, values))
    return Start(scores, tokens, keys=keys, values=values)


def _candidates(scores: Tensor, logits: Tensor, finished: Tensor, eos: int) -> Tensor:
    """(batch, beams, vocab)"""
    costs = logits.log_softmax(dim=-1).unflatten(0, scores.shape)
    stay = torch.full_like(costs[0, 0], -math.inf)
    stay[eos] = 0.0
    return scores.unsqueeze(-1) + torch.where(finished.bool().unsqueeze(-1), stay, costs)


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> Step:
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    best, place = _candidates(scores, logits, finished, eos).flatten(1).topk(beams, dim=-1)
    parents, tokens = place // vocab, place % vocab
    rows = (parents + torch.arange(batch, device=place.device)[:, None] * beams).flatten()
    done = finished.bool().gather(1, parents) | (tokens == eos)
    return Step(best, tokens, parents, done, keys.index_select(0, rows), values.index_select(0, rows))


def _read(tokens: Tensor, parents: Tensor, beam: Tensor, step: int) -> list[Tensor]:
    """Tokens of the beams `beam` (batch, beams) of step `step`, the first in front."""
    own = tokens[step].gather(1, beam)
    if step == 0:
        return [own]
    return [*_read(tokens, parents, parents[step].gather(1, beam), step - 1), own]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    last = torch.arange(beams, device=tokens.device).expand(batch, beams)
    return torch.stack(_read(tokens, parents.long(), last, steps - 1), dim=-1)


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    value, which = penalized.max(dim=-1)
    return sequences[torch.arange(len(which), device=which.device), which], value
