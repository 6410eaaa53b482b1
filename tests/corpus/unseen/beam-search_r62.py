from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor


class Candidate(NamedTuple):
    score: float
    parent: int
    token: int
    done: bool


def _rows(cache: Tensor, rows: list[int]) -> Tensor:
    return torch.cat([cache[r : r + 1] for r in rows], dim=0)


def _best_first(cands: list[Candidate], n: int) -> list[Candidate]:
    return sorted(cands, key=lambda c: c.score, reverse=True)[:n]


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    logp = F.log_softmax(logits, dim=1)
    order = logp.argsort(dim=1, descending=True)[:, :beams]
    rows = [b for b in range(logits.shape[0]) for _ in range(beams)]
    return logp.gather(1, order), order, _rows(keys, rows), _rows(values, rows)


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
):
    batch, beams = scores.shape
    logp = F.log_softmax(logits, dim=1)
    width = min(beams, logp.shape[1])
    chosen: list[list[Candidate]] = []
    rows: list[int] = []
    for b in range(batch):
        pool: list[Candidate] = []
        for k in range(beams):
            base = scores[b, k].item()
            if finished[b, k]:
                pool.append(Candidate(base, k, eos, True))
                continue
            # no beam can place more than `beams` candidates
            vals, idxs = logp[b * beams + k].topk(width)
            pool += [
                Candidate(base + v, k, t, t == eos)
                for v, t in zip(vals.tolist(), idxs.tolist())
            ]
        best = _best_first(pool, beams)
        chosen.append(best)
        rows += [b * beams + c.parent for c in best]

    def table(field: str, dtype: torch.dtype) -> Tensor:
        data = [[getattr(c, field) for c in sample] for sample in chosen]
        return torch.tensor(data, dtype=dtype, device=scores.device)

    return (
        table("score", scores.dtype),
        table("token", torch.int64),
        table("parent", torch.int64),
        table("done", torch.bool),
        _rows(keys, rows),
        _rows(values, rows),
    )


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    toks, pars = tokens.tolist(), parents.tolist()

    def walk(b: int, k: int) -> list[int]:
        seq: list[int] = []
        for t in reversed(range(steps)):
            seq.append(toks[t][b][k])
            k = pars[t][b][k] if t else k
        return seq[::-1]

    seqs = [[walk(b, k) for k in range(beams)] for b in range(batch)]
    return torch.tensor(seqs, dtype=tokens.dtype, device=tokens.device)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    norm = torch.pow((lengths.to(scores.dtype) + 5.0) / 6.0, alpha)
    final = scores / norm
    best = final.argmax(dim=1, keepdim=True)
    index = best.unsqueeze(-1).expand(-1, -1, sequences.shape[-1])
    return sequences.gather(1, index).squeeze(1), final.gather(1, best).squeeze(1)
