# attn-kata: beam-search
# Plain Python over samples and beams; a candidate is a small record, as one would write it in C++.
from __future__ import annotations

import heapq
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(order=True)
class Candidate:
    score: float
    parent: int
    token: int
    done: bool = False


def _candidates(score: float, row: list[float], beam: int, done: bool, eos: int):
    if done:
        yield Candidate(score, beam, eos, True)
        return
    for token, lp in enumerate(row):
        yield Candidate(score + lp, beam, token, token == eos)


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    ranked, order = torch.sort(logits - torch.logsumexp(logits, 1, keepdim=True), dim=1, descending=True)
    rows = [b for b in range(logits.shape[0]) for _ in range(beams)]
    return ranked[:, :beams], order[:, :beams], keys[rows], values[rows]


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    table = torch.log_softmax(logits, dim=-1).tolist()
    old, done = scores.tolist(), finished.tolist()
    kept: list[list[Candidate]] = []
    rows: list[int] = []
    for b in range(batch):
        pool = (
            c
            for k in range(beams)
            for c in _candidates(old[b][k], table[b * beams + k], k, bool(done[b][k]), eos)
        )
        best = heapq.nlargest(beams, pool)
        kept.append(best)
        rows += [b * beams + c.parent for c in best]

    def column(name: str, dtype: torch.dtype) -> Tensor:
        return torch.tensor([[getattr(c, name) for c in best] for best in kept], dtype=dtype, device=scores.device)

    return (
        column("score", scores.dtype),
        column("token", torch.long),
        column("parent", torch.long),
        column("done", torch.bool),
        keys[rows],
        values[rows],
    )


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    # forwards: at each step every beam takes its parent's sequence and adds its own token
    steps, batch, beams = tokens.shape
    so_far = tokens[0].unsqueeze(-1)
    for t in range(1, steps):
        index = parents[t].long().unsqueeze(-1).expand(batch, beams, t)
        so_far = torch.cat([so_far.gather(1, index), tokens[t].unsqueeze(-1)], dim=-1)
    return so_far


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6).pow(alpha)
    value, place = penalized.max(dim=1)
    winners = [row[i] for row, i in zip(sequences, place.tolist())]
    return torch.stack(winners), value
