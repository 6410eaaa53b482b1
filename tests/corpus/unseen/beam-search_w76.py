# attn-kata: beam-search
# Alignment people call the last part a traceback, so do I.
from __future__ import annotations

import torch
from torch import Tensor


def _expand_cache(cache: Tensor, n: int) -> Tensor:
    return torch.stack([cache] * n, dim=1).flatten(end_dim=1)


def _pick_cache(cache: Tensor, parents: Tensor) -> Tensor:
    n_seq, n_beam = parents.shape
    per_seq = cache.view(n_seq, n_beam, *cache.shape[1:])
    return torch.cat([per_seq[i, parents[i]] for i in range(n_seq)])


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    log_p = torch.log_softmax(logits, -1)
    best = log_p.topk(beams)
    return best.values, best.indices, _expand_cache(keys, beams), _expand_cache(values, beams)


def beam_step(scores, logits, keys, values, finished, eos):
    n_seq, n_beam = scores.shape
    alphabet = logits.shape[1]
    log_p = torch.log_softmax(logits, -1).reshape(n_seq, n_beam, alphabet)
    cell = scores[:, :, None] + log_p

    # a finished path keeps one way on
    closed = torch.full_like(cell, float("-inf"))
    closed[:, :, eos] = scores
    cell = torch.where(finished[:, :, None], closed, cell)

    best = cell.reshape(n_seq, -1).topk(n_beam)
    parents = best.indices.div(alphabet, rounding_mode="trunc")
    tokens = best.indices - parents * alphabet
    ended = finished.gather(1, parents).logical_or(tokens == eos)
    return best.values, tokens, parents, ended, _pick_cache(keys, parents), _pick_cache(values, parents)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    """Follow the pointers from the last column to the first."""
    n_col, n_seq, n_beam = tokens.shape
    where = torch.arange(n_beam, device=tokens.device).unsqueeze(0).repeat(n_seq, 1)
    columns = []
    for col in range(n_col - 1, -1, -1):
        columns.append(tokens[col].gather(1, where))
        where = parents[col - 1].long().gather(1, where)
    columns.reverse()
    return torch.stack(columns, dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    penalty = torch.pow((lengths + 5).to(scores) / 6, alpha)
    adjusted = scores / penalty
    score, which = adjusted.max(dim=1)
    chosen = sequences.gather(1, which[:, None, None].expand(-1, 1, sequences.size(2)))
    return chosen[:, 0], score
