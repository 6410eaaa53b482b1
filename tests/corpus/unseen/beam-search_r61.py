"""Beam search, vectorised: the candidates are one long list per sample."""
from __future__ import annotations

import torch
from torch import Tensor


def _pick_rows(cache: Tensor, parents: Tensor) -> Tensor:
    batch, beams = parents.shape
    per_sample = cache.unflatten(0, (batch, beams))
    index = parents.reshape(batch, beams, 1, 1, 1).expand(-1, -1, *cache.shape[1:])
    return per_sample.gather(1, index).flatten(0, 1)


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    scores, tokens = logits.log_softmax(dim=-1).topk(beams, dim=-1, sorted=True)
    keys, values = (c.repeat_interleave(beams, dim=0) for c in (keys, values))
    return scores, tokens, keys, values


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    step = logits.log_softmax(dim=-1).view(batch, beams, vocab)
    # the price list of a beam that is done: eos is free, nothing else is for sale
    done = torch.full((vocab,), -torch.inf, dtype=step.dtype, device=step.device)
    done[eos] = 0
    step = torch.where(finished.unsqueeze(-1), done, step)
    candidates = (scores.unsqueeze(-1) + step).flatten(1)
    scores, place = candidates.topk(beams, dim=-1)
    parents = torch.div(place, vocab, rounding_mode="floor")
    tokens = place.remainder(vocab)
    finished = torch.gather(finished, 1, parents) | tokens.eq(eos)
    return scores, tokens, parents, finished, _pick_rows(keys, parents), _pick_rows(values, parents)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    out = tokens.new_empty(batch, beams, steps)
    beam = torch.arange(beams, device=tokens.device).expand(batch, beams)
    for t in range(steps - 1, -1, -1):
        out[..., t] = tokens[t].gather(1, beam)
        beam = parents[t].long().gather(1, beam)
    return out


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / ((5 + lengths) / 6) ** alpha
    value, best = penalized.max(dim=1)
    rows = torch.arange(len(best), device=best.device)
    return sequences[rows, best], value
