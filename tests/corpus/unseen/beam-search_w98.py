from __future__ import annotations

import torch
from torch import Tensor


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    scores, tokens = logits.log_softmax(dim=-1).topk(beams, dim=-1)
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def _candidates(scores: Tensor, logits: Tensor, finished: Tensor, eos: int) -> Tensor:
    batch, beams = scores.shape
    steps = logits.view(batch, beams, -1)
    grown = torch.log_softmax(scores.unsqueeze(-1) + steps, dim=-1)
    stay = torch.full_like(grown, float("-inf"))
    stay[..., eos] = scores
    return torch.where(finished.unsqueeze(-1), stay, grown)


def _follow(cache: Tensor, parents: Tensor) -> Tensor:
    batch, beams = parents.shape
    rows = parents + torch.arange(batch, device=parents.device).unsqueeze(1) * beams
    return cache.index_select(0, rows.flatten())


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    vocab = logits.shape[-1]
    pool = _candidates(scores, logits, finished, eos).flatten(1)
    best, place = pool.topk(scores.shape[1], dim=-1)
    parents = torch.div(place, vocab, rounding_mode="floor")
    tokens = place % vocab
    ended = finished.gather(1, parents) | (tokens == eos)
    return best, tokens, parents, ended, _follow(keys, parents), _follow(values, parents)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    at = torch.arange(beams, device=tokens.device).expand(batch, beams)
    found = []
    for t in reversed(range(steps)):
        found.append(tokens[t].gather(1, at))
        at = parents[t].long().gather(1, at) if t else at
    return torch.stack(found[::-1], dim=-1)


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    top, which = penalized.max(dim=1)
    return sequences[torch.arange(sequences.shape[0], device=which.device), which], top
