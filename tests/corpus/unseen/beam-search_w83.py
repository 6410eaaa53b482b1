from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Step(NamedTuple):
    scores: Tensor
    tokens: Tensor
    parents: Tensor
    finished: Tensor
    keys: Tensor
    values: Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    log_p = logits - logits.logsumexp(dim=-1, keepdim=True)
    scores, tokens = log_p.topk(beams)
    keys, values = (
        t[:, None].expand(-1, beams, -1, -1, -1).flatten(0, 1) for t in (keys, values)
    )
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos) -> Step:
    batch, beams = scores.shape
    log_p = (logits - logits.logsumexp(dim=-1, keepdim=True)).unflatten(0, (batch, beams))
    is_eos = torch.arange(log_p.shape[-1], device=log_p.device) == eos
    frozen = torch.zeros_like(log_p).masked_fill(~is_eos, float("-inf"))
    candidates = scores[:, :, None] + torch.where(finished[:, :, None], frozen, log_p)
    top, at = candidates.flatten(1).topk(beams)
    parents, tokens = at // log_p.shape[-1], at % log_p.shape[-1]
    sample = torch.arange(batch, device=at.device)[:, None]
    keys, values = (
        t.unflatten(0, (batch, beams))[sample, parents].flatten(0, 1) for t in (keys, values)
    )
    return Step(top, tokens, parents, finished[sample, parents] | (tokens == eos), keys, values)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    history = tokens[0][:, :, None]
    sample = torch.arange(tokens.shape[1], device=tokens.device)[:, None]
    for step in range(1, tokens.shape[0]):
        history = torch.cat([history[sample, parents[step].long()], tokens[step][:, :, None]], dim=2)
    return history


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    if (lengths == lengths[:1, :1]).all():
        # one length for all: dividing would not change who is best
        ranked = scores
    else:
        ranked = scores / ((5 + lengths) / 6).to(scores.dtype).pow(alpha)
    best, index = ranked.max(dim=-1)
    return sequences[torch.arange(len(best), device=best.device), index], best
