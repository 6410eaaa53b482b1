from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Iterator

import torch
from torch import Tensor


@dataclass(order=True)
class Candidate:
    score: float
    parent: int = field(compare=False)
    token: int = field(compare=False)
    finished: bool = field(compare=False)


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    log_probs = logits - logits.logsumexp(dim=1, keepdim=True)
    order = log_probs.argsort(dim=1, descending=True)[:, :beams]
    scores = torch.take_along_dim(log_probs, order, dim=1)
    copies = [cache.repeat_interleave(beams, dim=0) for cache in (keys, values)]
    return scores, order, *copies


def _candidates(totals: list[list[float]], old: list[float], done: list[bool], eos: int) -> Iterator[Candidate]:
    for beam, row in enumerate(totals):
        if done[beam]:
            yield Candidate(old[beam], beam, eos, True)
            continue
        for token, score in enumerate(row):
            yield Candidate(score, beam, token, token == eos)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    log_probs = torch.log_softmax(logits, dim=-1).view(batch, beams, -1)
    totals = (scores.unsqueeze(-1) + log_probs).tolist()
    kept: list[list[Candidate]] = [
        heapq.nlargest(beams, _candidates(totals[b], scores[b].tolist(), finished[b].tolist(), eos))
        for b in range(batch)
    ]

    def table(name: str, dtype: torch.dtype) -> Tensor:
        rows = [[getattr(c, name) for c in row] for row in kept]
        return torch.tensor(rows, dtype=dtype, device=scores.device)

    parents = table("parent", torch.long)
    rows = torch.cat([parents[b] + b * beams for b in range(batch)])
    return (
        table("score", scores.dtype),
        table("token", torch.long),
        parents,
        table("finished", torch.bool),
        keys[rows],
        values[rows],
    )


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape

    def history(step: int) -> Tensor:
        """(batch, beams, step + 1): what the beams of this step have behind them."""
        own = tokens[step].unsqueeze(-1)
        if step == 0:
            return own
        return torch.cat([old[step - 1].gather(1, parents[step].long().unsqueeze(-1).expand(-1, -1, step)), own], -1)

    old: list[Tensor] = []
    for step in range(steps):
        old.append(history(step))
    return old[-1]


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalty = (lengths.to(scores.dtype) + 5).div(6).pow(alpha)
    top, where = (scores / penalty).max(dim=1)
    return sequences[torch.arange(len(where), device=where.device), where], top
