# attn-kata: beam-search
# Explicit loops over the samples, like the reference decoder in a C++ inference engine.
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(order=True)
class Candidate:
    neg_score: float
    beam: int
    token: int


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    logp = torch.log_softmax(logits, dim=1)
    scores, tokens = logp.sort(dim=1, descending=True)
    row = torch.arange(logits.size(0), device=logits.device).repeat_interleave(beams)
    return scores[:, :beams], tokens[:, :beams], keys[row], values[row]


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    batch, beams = scores.shape
    logp = torch.log_softmax(logits, dim=-1).view(batch, beams, -1)
    done = finished.tolist()

    new_scores = torch.empty_like(scores)
    tokens = torch.empty(batch, beams, dtype=torch.long, device=scores.device)
    parents = torch.empty_like(tokens)
    for b in range(batch):
        pool: list[Candidate] = []
        for k in range(beams):
            if done[b][k]:
                pool.append(Candidate(-scores[b, k].item(), k, eos))
                continue
            top, idx = logp[b, k].topk(min(beams, logp.size(-1)))
            for lp, t in zip((scores[b, k] + top).tolist(), idx.tolist()):
                pool.append(Candidate(-lp, k, t))
        pool.sort()
        for slot, cand in enumerate(pool[:beams]):
            new_scores[b, slot] = -cand.neg_score
            tokens[b, slot] = cand.token
            parents[b, slot] = cand.beam
    flat = (torch.arange(batch, device=scores.device)[:, None] * beams + parents).reshape(-1)
    new_finished = finished.gather(1, parents) | (tokens == eos)
    return new_scores, tokens, parents, new_finished, keys[flat], values[flat]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    out = torch.empty(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    par = parents.tolist()
    for b in range(batch):
        for k in range(beams):
            at = k
            for t in reversed(range(steps)):
                out[b, k, t] = tokens[t, b, at]
                at = par[t][b][at]
    return out


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    penalised = scores / ((lengths.to(scores.dtype) + 5.0) / 6.0).pow(alpha)
    value, which = penalised.max(dim=1)
    return sequences[torch.arange(len(which), device=which.device), which], value
