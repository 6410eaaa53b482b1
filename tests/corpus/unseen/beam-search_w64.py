from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Cache:
    keys: Tensor
    values: Tensor

    def select(self, rows: Tensor) -> Cache:
        return Cache(self.keys.index_select(0, rows), self.values.index_select(0, rows))


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    scores, tokens = logits.log_softmax(-1).topk(beams, -1)
    rows = torch.arange(logits.size(0) * beams, device=logits.device) // beams
    cache = Cache(keys, values).select(rows)
    return scores, tokens, cache.keys, cache.values


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
):
    batch, beams = scores.shape
    vocab = logits.size(1)
    flat_done = finished.reshape(-1)
    logp = logits.log_softmax(-1)
    logp[flat_done] = -torch.inf
    logp[flat_done, eos] = 0.0
    cand = scores.reshape(-1, 1) + logp
    top = cand.reshape(batch, -1).topk(beams)
    parents = top.indices // vocab
    tokens = top.indices % vocab
    rows = (parents + torch.arange(0, batch * beams, beams, device=parents.device)[:, None]).flatten()
    cache = Cache(keys, values).select(rows)
    done = flat_done[rows].view(batch, beams) | (tokens == eos)
    return top.values, tokens, parents, done, cache.keys, cache.values


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    out = torch.zeros_like(tokens)
    at = torch.arange(beams, device=tokens.device).expand(batch, beams)
    for t in reversed(range(steps)):
        out[t] = tokens[t].gather(1, at)
        at = parents[t].long().gather(1, at)
    return out.permute(1, 2, 0)


def length_penalty(lengths: Tensor, alpha: float) -> Tensor:
    """GNMT, equation 14."""
    return ((5 + lengths) // 6) ** alpha


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    ranked = scores / length_penalty(lengths, alpha)
    best = ranked.argmax(-1)
    i = torch.arange(best.numel(), device=best.device)
    return sequences[i, best], ranked[i, best]
