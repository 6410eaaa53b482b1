from __future__ import annotations

import torch
from torch import Tensor


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    order = logits.argsort(dim=1, descending=True)[:, :beams]
    scores = logits.gather(1, order) - torch.logsumexp(logits, 1, keepdim=True)
    copies = [torch.stack([c] * beams, dim=1).reshape(-1, *c.shape[1:]) for c in (keys, values)]
    return scores, order, copies[0], copies[1]


def _candidates(score: float, row: Tensor, over: bool, eos: int):
    if over:
        yield score, eos
        return
    lp = torch.log_softmax(row, 0) + score
    for token, s in enumerate(lp.unbind()):
        yield s, token


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    B, K = scores.shape
    S, T, P = [], [], []
    for b in range(B):
        pool = []
        for k in range(K):
            pool += [
                (float(s), s, token, k)
                for s, token in _candidates(scores[b, k], logits[b * K + k], bool(finished[b, k]), eos)
            ]
        pool.sort(key=lambda c: c[0], reverse=True)
        S.append(torch.stack([c[1] for c in pool[:K]]))
        T.append([c[2] for c in pool[:K]])
        P.append([c[3] for c in pool[:K]])
    tokens = torch.tensor(T, device=scores.device)
    parents = torch.tensor(P, device=scores.device)
    over = (tokens == eos) | torch.stack([finished[b][parents[b]] for b in range(B)])
    source = [b * K + p for b in range(B) for p in P[b]]
    return torch.stack(S), tokens, parents, over, keys[source], values[source]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    """Forward instead of backward: histories are reordered at every step."""
    history = tokens[0].unsqueeze(-1)
    for t in range(1, tokens.shape[0]):
        index = parents[t].long().unsqueeze(-1).expand(-1, -1, history.shape[-1])
        history = torch.cat([history.gather(1, index), tokens[t].unsqueeze(-1)], -1)
    return history


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    lp = ((5 + lengths).to(scores.dtype) / 6) ** alpha
    penalized, i = torch.sort(scores / lp, dim=1, descending=True)
    return torch.take_along_dim(sequences, i[:, :1, None], 1)[:, 0], penalized[:, 0]
