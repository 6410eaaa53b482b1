from __future__ import annotations

import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    logp = logits - logits.logsumexp(dim=-1, keepdim=True)
    scores, tokens = logp.topk(beams)
    rows = torch.arange(logits.shape[0], device=logits.device).repeat_interleave(beams)
    return scores, tokens, keys[rows], values[rows]


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
):
    (n, k), v = scores.shape, logits.shape[1]
    logp = (logits - logits.logsumexp(dim=-1, keepdim=True)).reshape(n, k, v)
    is_eos = torch.arange(v, device=logits.device) == eos
    frozen = torch.zeros(v, dtype=logp.dtype, device=logp.device).masked_fill(~is_eos, -torch.inf)
    logp = torch.where(finished[..., None], frozen, logp)
    best, flat = (scores[..., None] + logp).reshape(n, -1).topk(k)
    parents, tokens = flat // v, flat % v
    finished = finished.take_along_dim(parents, dim=1) | (tokens == eos)
    rows = (torch.arange(n, device=parents.device)[:, None] * k + parents).reshape(-1)
    return best, tokens, parents, finished, keys[rows], values[rows]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, n, k = tokens.shape
    cursor = torch.arange(k, device=tokens.device).repeat(n, 1)
    columns: list[Tensor] = []
    for t in range(steps - 1, -1, -1):
        if t > 0:
            cursor = parents[t].long().take_along_dim(cursor, dim=1)
        columns.append(tokens[t].take_along_dim(cursor, dim=1))
    columns.reverse()
    return torch.stack(columns, dim=-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / ((5 + lengths.type_as(scores)) / 6).pow(alpha)
    top = penalized.argmax(dim=1, keepdim=True)
    seq = sequences.take_along_dim(top[..., None], dim=1)[:, 0]
    return seq, penalized.take_along_dim(top, dim=1)[:, 0]
