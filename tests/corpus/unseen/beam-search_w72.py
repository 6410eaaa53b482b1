from __future__ import annotations

import math

import torch
from torch import Tensor

MIN_LENGTH_TERM = 5
LENGTH_DIVISOR = MIN_LENGTH_TERM + 1


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    B, V = logits.shape
    Bk, H, N, D = keys.shape
    assert B == Bk and values.shape[:3] == (B, H, N)
    lp = logits - torch.logsumexp(logits, 1, keepdim=True)
    scores, tokens = lp.topk(beams, 1)
    spread = lambda c: c[:, None].expand(B, beams, *c.shape[1:]).reshape(B * beams, *c.shape[1:])
    return scores, tokens, spread(keys), spread(values)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    B, W = scores.shape
    BW, V = logits.shape
    assert BW == B * W
    lp = torch.log_softmax(logits, 1)
    frozen = finished.reshape(BW, 1)
    is_eos = (torch.arange(V, device=lp.device) == eos)[None]
    lp = lp.masked_fill(frozen & ~is_eos, -math.inf).masked_fill(frozen & is_eos, 0.0)
    total = (scores.reshape(BW, 1) + lp).reshape(B, W * V)
    new_scores, flat = total.topk(W, dim=1)
    parents, tokens = flat // V, flat % V
    rows = parents + torch.arange(B, device=flat.device)[:, None] * W
    rows = rows.reshape(BW)
    new_finished = finished.reshape(BW)[rows].reshape(B, W) | (tokens == eos)
    return new_scores, tokens, parents, new_finished, keys[rows], values[rows]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    T, B, W = tokens.shape
    assert parents.shape == (T, B, W)
    slot = torch.arange(W, device=tokens.device).repeat(B, 1)
    steps_back = []
    for t in range(T - 1, 0, -1):
        slot = parents[t].long().gather(1, slot)
        steps_back.append(tokens[t].gather(1, slot))
    steps_back.append(tokens[0].gather(1, slot))
    return torch.stack(steps_back[::-1], 2)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    B, W, T = sequences.shape
    assert scores.shape == lengths.shape == (B, W)
    term = (lengths.to(scores.dtype) + MIN_LENGTH_TERM) / LENGTH_DIVISOR
    adjusted = scores / term.pow(alpha)
    pick = adjusted.argmax(1, keepdim=True)
    seq = sequences.gather(1, pick[:, :, None].expand(B, 1, T))
    return seq[:, 0], adjusted.gather(1, pick)[:, 0]
