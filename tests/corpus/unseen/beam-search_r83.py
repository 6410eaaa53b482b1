from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Choice(NamedTuple):
    scores: Tensor
    parents: Tensor
    tokens: Tensor


def _logp(logits: Tensor) -> Tensor:
    wide = torch.promote_types(logits.dtype, torch.float32)
    return torch.log_softmax(logits.to(wide), dim=-1)


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    best = _logp(logits).topk(beams, dim=-1)
    copies = [cache.repeat_interleave(beams, dim=0) for cache in (keys, values)]
    return best.values.to(logits.dtype), best.indices, *copies


def _choose(scores: Tensor, logp: Tensor, finished: Tensor, eos: int) -> Choice:
    beams, vocab = logp.shape[1:]
    only_eos = torch.full_like(logp, -torch.inf)
    only_eos[:, :, eos] = 0
    step = torch.where(finished.unsqueeze(-1), only_eos, logp)
    best = (scores.unsqueeze(-1) + step).flatten(1).topk(beams, dim=-1)
    return Choice(best.values, best.indices // vocab, best.indices % vocab)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    finished = finished.bool()
    new = _choose(scores, _logp(logits).view(batch, beams, -1), finished, eos)

    first_row = torch.arange(batch, device=scores.device).unsqueeze(1) * beams
    rows = (first_row + new.parents).flatten()
    done = finished.gather(1, new.parents) | (new.tokens == eos)
    return (
        new.scores.to(scores.dtype),
        new.tokens,
        new.parents,
        done,
        keys.index_select(0, rows),
        values.index_select(0, rows),
    )


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    at = torch.arange(beams, device=tokens.device).expand(batch, beams)
    path = []
    for step in range(steps - 1, -1, -1):
        path.append(tokens[step].gather(1, at))
        if step:
            at = parents[step].long().gather(1, at)
    return torch.stack(path[::-1], dim=-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalty = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best, which = (scores / penalty).max(dim=1)
    return sequences[torch.arange(len(which), device=which.device), which], best
