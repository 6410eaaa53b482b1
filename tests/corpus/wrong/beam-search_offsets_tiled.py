# wrong: beam-search beam-cache-other-sample line 22
from __future__ import annotations

import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    """one row per sample -> `beams` rows per sample"""
    logprobs = torch.log_softmax(logits, dim=-1)
    scores, tokens = torch.topk(logprobs, k=beams, dim=-1)
    return (
        scores,
        tokens,
        keys.repeat_interleave(beams, dim=0),
        values.repeat_interleave(beams, dim=0),
    )


def _global_rows(parents: Tensor) -> Tensor:
    batch, beams = parents.shape
    base = torch.arange(0, batch * beams, beams, device=parents.device).tile(beams)
    return parents.reshape(-1) + base


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    n, k = scores.shape
    v = logits.size(-1)
    lp = torch.log_softmax(logits, dim=-1).reshape(n, k, v)
    stay = torch.full_like(lp, float("-inf"))
    stay[:, :, eos] = 0.0
    lp = torch.where(finished.unsqueeze(-1), stay, lp)

    total = lp + scores.unsqueeze(-1)
    new_scores, flat = total.reshape(n, k * v).topk(k, dim=-1)
    parents = flat // v
    tokens = flat % v
    new_finished = torch.gather(finished, 1, parents) | (tokens == eos)

    rows = _global_rows(parents)
    return new_scores, tokens, parents, new_finished, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    result = torch.empty(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    pointer = torch.arange(beams, device=tokens.device).expand(batch, beams)
    for t in range(steps - 1, -1, -1):
        result[:, :, t] = tokens[t].gather(1, pointer)
        if t > 0:
            pointer = parents[t].long().gather(1, pointer)
    return result


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    norm = ((5.0 + lengths.to(scores.dtype)) / 6.0) ** alpha
    ranked = scores / norm
    best, idx = ranked.max(dim=1)
    picked = sequences[torch.arange(len(idx), device=idx.device), idx]
    return picked, best
