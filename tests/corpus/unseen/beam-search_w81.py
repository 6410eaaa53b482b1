from __future__ import annotations

import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    scores, tokens = logits.log_softmax(dim=-1).topk(beams, dim=-1)
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def _rows(parents: Tensor) -> Tensor:
    """Numbers within a sample to rows of the model's batch."""
    batch, beams = parents.shape
    first = torch.arange(batch, device=parents.device)[:, None] * beams
    return (first + parents).flatten()


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    if finished.all():
        # nothing can change any more
        tokens = torch.full_like(finished, eos, dtype=torch.long)
        parents = torch.arange(beams, device=scores.device).expand(batch, beams)
        return scores, tokens, parents, finished, keys, values
    vocab = logits.shape[-1]
    gains = logits.log_softmax(dim=-1).view(batch, beams, vocab)
    stay = torch.full_like(gains, float("-inf"))
    stay[..., eos] = 0
    gains = torch.where(finished[..., None], stay, gains)
    best, place = (scores[..., None] + gains).flatten(1).topk(beams, dim=-1)
    parents, tokens = place // vocab, place % vocab
    ended = finished.gather(1, parents) | (tokens == eos)
    rows = _rows(parents)
    return best, tokens, parents, ended, keys[rows], values[rows]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    beam = torch.arange(tokens.shape[2], device=tokens.device).expand(tokens.shape[1:])
    read = []
    for step in reversed(range(len(tokens))):
        read.append(tokens[step].gather(1, beam))
        beam = parents[step].long().gather(1, beam)
    return torch.stack(read[::-1], dim=-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / ((5 + lengths) / 6) ** alpha
    best, index = penalized.max(dim=1)
    return sequences[torch.arange(len(index), device=index.device), index], best
