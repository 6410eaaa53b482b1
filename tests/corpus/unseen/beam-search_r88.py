from __future__ import annotations

import heapq
from typing import Iterator, NamedTuple

import torch
from torch import Tensor


class Candidate(NamedTuple):
    score: float
    parent: int
    token: int


def log_probs(row: Tensor) -> list[float]:
    row = row.double()
    return (row - row.logsumexp(0)).tolist()


def candidates(scores: list[float], rows: Tensor, done: list[bool], eos: int) -> Iterator[Candidate]:
    """All continuations of one sample's beams; a finished one has a single continuation."""
    for parent, (score, row, over) in enumerate(zip(scores, rows, done)):
        if over:
            yield Candidate(score, parent, eos)
            continue
        for token, lp in enumerate(log_probs(row)):
            yield Candidate(score + lp, parent, token)


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    picked = [heapq.nlargest(beams, ((lp, t) for t, lp in enumerate(log_probs(row)))) for row in logits]
    scores = torch.tensor([[lp for lp, _ in row] for row in picked], dtype=logits.dtype)
    tokens = torch.tensor([[t for _, t in row] for row in picked])
    copy = lambda x: torch.stack([x] * beams, dim=1).flatten(0, 1)
    return scores.to(logits.device), tokens.to(logits.device), copy(keys), copy(values)


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    batch, beams = scores.shape
    running, done = scores.tolist(), finished.tolist()
    best: list[list[Candidate]] = []
    rows: list[int] = []
    for b in range(batch):
        own = logits[b * beams : (b + 1) * beams]
        kept = heapq.nlargest(beams, candidates(running[b], own, done[b], eos))
        best.append(kept)
        rows.extend(b * beams + c.parent for c in kept)

    def table(read, dtype) -> Tensor:
        return torch.tensor([[read(c) for c in kept] for kept in best], dtype=dtype, device=scores.device)

    ended = [[done[b][c.parent] or c.token == eos for c in kept] for b, kept in enumerate(best)]
    return (
        table(lambda c: c.score, scores.dtype),
        table(lambda c: c.token, torch.long),
        table(lambda c: c.parent, torch.long),
        torch.tensor(ended, dtype=torch.bool, device=scores.device),
        torch.stack([keys[r] for r in rows]),
        torch.stack([values[r] for r in rows]),
    )


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    took, came = tokens.tolist(), parents.tolist()

    def walk(b: int, k: int) -> list[int]:
        path: list[int] = []
        for t in range(steps - 1, -1, -1):
            path.append(took[t][b][k])
            k = came[t][b][k] if t > 0 else k
        return path[::-1]

    found = [[walk(b, k) for k in range(beams)] for b in range(batch)]
    return torch.tensor(found, dtype=tokens.dtype, device=tokens.device)


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    penalty = torch.pow((5.0 + lengths.double()) / 6.0, alpha)
    penalized = (scores.double() / penalty).to(scores.dtype)
    winner = penalized.argmax(dim=1, keepdim=True)
    whole = torch.take_along_dim(sequences, winner.unsqueeze(-1), dim=1).squeeze(1)
    return whole, penalized.gather(1, winner).squeeze(1)
