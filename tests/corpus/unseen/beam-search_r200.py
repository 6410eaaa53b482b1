"""Beam search, sample by sample.

State of a sample: `beams` scores. A finished beam is made into an ordinary one by changing its logits: -inf
everywhere but at eos, so that its log-probability there is exactly 0 and the other tokens cannot be had.
"""
from __future__ import annotations

import torch
from torch import Tensor

NEVER = float("-inf")


def log_p(logits: Tensor) -> Tensor:
    top = logits.amax(-1, keepdim=True)
    x = logits - top
    return x - torch.log(torch.exp(x).sum(-1, keepdim=True))


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    ordered, which = torch.sort(log_p(logits), dim=-1, descending=True)
    row = torch.arange(logits.shape[0] * beams, device=logits.device) // beams
    return ordered[:, :beams], which[:, :beams], keys[row], values[row]


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    n, m = scores.shape
    vocab = logits.shape[-1]
    done = finished.reshape(-1, 1)
    is_eos = torch.arange(vocab, device=logits.device) == eos
    pinned = torch.where(is_eos, torch.zeros_like(logits), torch.full_like(logits, NEVER))
    lp = log_p(torch.where(done, pinned, logits)).reshape(n, m, vocab)

    S, W, P, F, rows = [], [], [], [], []
    for b in range(n):
        board = (scores[b][:, None] + lp[b]).reshape(-1)
        best, place = torch.sort(board, descending=True)
        best, place = best[:m], place[:m]
        parent = torch.div(place, vocab, rounding_mode="floor")
        token = place - parent * vocab
        S.append(best)
        W.append(token)
        P.append(parent)
        F.append(finished[b][parent] | (token == eos))
        rows.append(b * m + parent)
    rows = torch.cat(rows)
    return torch.stack(S), torch.stack(W), torch.stack(P), torch.stack(F), keys[rows], values[rows]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, n, m = tokens.shape
    b = torch.arange(n, device=tokens.device)[:, None]
    who = torch.arange(m, device=tokens.device).expand(n, m)
    out = torch.empty(n, m, steps, dtype=tokens.dtype, device=tokens.device)
    t = steps
    while t:
        t -= 1
        out[:, :, t] = tokens[t][b, who]
        if t:
            who = parents[t][b, who].long()
    return out


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    # ((5 + n)/6)^-alpha = exp(-alpha log1p((n - 1)/6))
    weight = torch.exp(-alpha * torch.log1p((lengths.to(scores.dtype) - 1) / 6))
    value, k = (scores * weight).max(dim=1)
    return torch.stack([sequences[b, k[b]] for b in range(len(k))]), value
