import itertools
from collections import namedtuple

import torch
from torch import Tensor

Start = namedtuple("Start", "scores tokens keys values")
Step = namedtuple("Step", "scores tokens parents finished keys values")


def _take_rows(cache: Tensor, parents: Tensor, per_sample: int) -> Tensor:
    """rows of cache, (batch*per_sample, ...), that `parents` (batch, beams) names within a sample"""
    batch = parents.shape[0]
    idx = torch.add(parents, torch.arange(batch, device=parents.device).unsqueeze(1), alpha=per_sample)
    return torch.index_select(cache, 0, idx.reshape(-1))


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    logp = logits - torch.logsumexp(logits, 1, keepdim=True)
    order = torch.argsort(logp, dim=1, descending=True)[:, :beams]
    nobody = torch.zeros_like(order)
    return Start(
        torch.take_along_dim(logp, order, 1), order, _take_rows(keys, nobody, 1), _take_rows(values, nobody, 1)
    )


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    gain = torch.log_softmax(logits, -1).view(batch, beams, vocab)
    # a beam that has ended has one row of its own: 0 at eos, nothing elsewhere
    ended = torch.full((vocab,), -torch.inf, dtype=gain.dtype, device=gain.device)
    ended[eos] = 0
    gain = torch.where(finished[:, :, None], ended, gain)
    pool = (gain + scores[:, :, None]).reshape(batch, beams * vocab)
    ranked, where = pool.sort(dim=-1, descending=True)
    best, where = ranked[:, :beams], where[:, :beams]
    parents, tokens = torch.unravel_index(where, (beams, vocab))
    over = torch.gather(finished, 1, parents).logical_or(tokens.eq(eos))
    return Step(best, tokens, parents, over, _take_rows(keys, parents, beams), _take_rows(values, parents, beams))


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    last = torch.arange(beams, device=tokens.device).expand(batch, beams)
    earlier = parents[1:].long().flip(0).unbind(0)
    # from the last step to the first: at which place each final beam stood
    places = itertools.accumulate(earlier, lambda who, parent: parent.gather(1, who), initial=last)
    picked = [row.gather(1, who) for row, who in zip(tokens.flip(0), places)]
    return torch.stack(picked[::-1], dim=-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalty = torch.exp(alpha * torch.log((lengths.to(scores.dtype) + 5) / 6))
    value, index = (scores / penalty).max(dim=-1)
    rows = torch.arange(len(index), device=index.device)
    return sequences[rows, index], value
