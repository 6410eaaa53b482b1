from __future__ import annotations

import torch
from torch import Tensor


def fan_out(cache: Tensor, beams: int) -> Tensor:
    """One row of the cache for each beam."""
    return cache.expand(beams, *cache.shape).reshape(-1, *cache.shape[1:])


def take(cache: Tensor, parents: Tensor) -> Tensor:
    """Each beam takes over its parent's row, within its own sample."""
    batch, beams = parents.shape
    by_sample = cache.unflatten(0, (batch, beams))
    return torch.stack([c[p] for c, p in zip(by_sample, parents)]).flatten(0, 1)


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    scores, tokens = torch.topk(logits.log_softmax(-1), beams)
    return scores, tokens, fan_out(keys, beams), fan_out(values, beams)


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    batch, beams = scores.shape
    gain = logits.log_softmax(-1).unflatten(0, (batch, beams)).clone()
    gain[finished] = -torch.inf
    gain[..., eos] = gain[..., eos].masked_fill(finished, 0.0)

    candidates = (scores[..., None] + gain).flatten(1)
    scores, places = candidates.sort(dim=1, descending=True)
    scores, places = scores[:, :beams], places[:, :beams]
    parents = torch.div(places, logits.shape[-1], rounding_mode="floor")
    tokens = places - parents * logits.shape[-1]

    done = torch.take_along_dim(finished, parents, dim=1).logical_or(tokens.eq(eos))
    return scores, tokens, parents, done, take(keys, parents), take(values, parents)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    result = tokens.new_empty(batch, beams, steps)
    at = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    for step in range(steps - 1, -1, -1):
        result[..., step] = torch.take_along_dim(tokens[step], at, dim=1)
        at = torch.take_along_dim(parents[step].long(), at, dim=1)
    return result


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    penalized = scores / ((5.0 + lengths.type_as(scores)) / 6.0).pow(alpha)
    top = penalized.max(dim=1)
    chosen = [sample[i] for sample, i in zip(sequences, top.indices)]
    return torch.stack(chosen), top.values
