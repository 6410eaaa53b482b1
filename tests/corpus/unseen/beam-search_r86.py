from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor


def start_beams(logits, keys, values, beams):
    order = logits.argsort(dim=-1, descending=True)[:, :beams]
    scores = (logits - logits.logsumexp(-1, keepdim=True)).gather(-1, order)
    fan = lambda cache: torch.stack([cache] * beams, dim=1).flatten(0, 1)
    return scores, order, fan(keys), fan(values)


def candidates(score: Tensor, logp: Tensor, done: Tensor, eos: int) -> Iterator[tuple]:
    """(scores, token numbers, parent numbers) of one sample, a beam at a time."""
    for beam in range(len(score)):
        if done[beam]:
            gain, tokens = logp.new_zeros(1), torch.tensor([eos], device=logp.device)
        else:
            gain, tokens = logp[beam], torch.arange(logp.shape[-1], device=logp.device)
        yield score[beam] + gain, tokens, torch.full_like(tokens, beam)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    logp = (logits - logits.logsumexp(-1, keepdim=True)).reshape(batch, beams, -1)
    picked = []
    for sample in range(batch):
        total, tokens, parents = map(
            torch.cat, zip(*candidates(scores[sample], logp[sample], finished[sample], eos))
        )
        best = total.argsort(descending=True)[:beams]
        picked.append((total[best], tokens[best], parents[best]))
    scores, tokens, parents = map(torch.stack, zip(*picked))

    sample = torch.arange(batch, device=parents.device)[:, None]
    follow = lambda cache: cache.reshape(batch, beams, *cache.shape[1:])[sample, parents].flatten(0, 1)
    finished = finished[sample, parents] | (tokens == eos)
    return scores, tokens, parents, finished, follow(keys), follow(values)


def trace_back(tokens, parents):
    def climb(step: int, at: Tensor) -> list[Tensor]:
        here = [tokens[step].gather(-1, at)]
        return here if step == 0 else climb(step - 1, parents[step].long().gather(-1, at)) + here

    # short pieces, so that long texts do not reach the limit of recursion
    steps, batch, beams = tokens.shape
    at = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    if steps <= 200:
        return torch.stack(climb(steps - 1, at), dim=-1)
    pieces = []
    for step in reversed(range(steps)):
        pieces.insert(0, tokens[step].gather(-1, at))
        at = parents[step].long().gather(-1, at)
    return torch.stack(pieces, dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5 + lengths).to(scores.dtype) / 6) ** alpha
    best = penalized.argmax(dim=-1)
    one_hot = torch.arange(scores.shape[1], device=scores.device) == best[:, None]
    return sequences[one_hot], penalized[one_hot]
