from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterator

import torch
from torch import Tensor


def _rows(t: Tensor) -> Iterator[Tensor]:
    yield from t.unbind(0)


def _hide(row: Tensor, keep: list[int] | Tensor) -> Tensor:
    out = torch.full_like(row, -math.inf)
    out[keep] = row[keep]
    return out


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    out = logits.clone()
    for row, history in zip(_rows(out), _rows(tokens)):
        for tok in set(history.tolist()):
            x = float(row[tok])
            row[tok] = x / penalty if x > 0.0 else x * penalty
    return out


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return torch.stack([_hide(r, r.topk(k).indices) for r in _rows(logits)])


def _nucleus(row: Tensor, p: float) -> list[int]:
    probs = row.softmax(0)
    keep: list[int] = []
    total = 0.0
    for tok in probs.argsort(descending=True).tolist():
        keep.append(tok)
        total += float(probs[tok])
        if total >= p:
            break
    return keep


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p == 1.0:
        return logits
    return torch.stack([_hide(r, _nucleus(r, p)) for r in _rows(logits)])


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    """In log space: log prob - log max = logit - max logit."""
    gap = logits - logits.max(dim=1, keepdim=True).values
    bar = math.log(p) if p > 0.0 else -math.inf
    return logits.masked_fill(gap < bar, -math.inf)


@dataclass(frozen=True)
class Sampler:
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    penalty: float = 1.0

    def __call__(self, logits: Tensor, tokens: Tensor) -> Tensor:
        z = penalize(logits, tokens, self.penalty)
        z = z.div(self.temperature)
        match self.top_k:
            case 0:
                pass
            case k:
                z = keep_top_k(z, k)
        z = keep_min_p(keep_top_p(z, self.top_p), self.min_p)
        return z.softmax(-1)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    return Sampler(temperature, top_k, top_p, min_p, penalty)(logits, tokens)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    picked: list[int] = []
    for row, u in zip(probs.tolist(), uniform.tolist()):
        total, choice = 0.0, 0
        for tok, p in enumerate(row):
            total += p
            if p > 0.0:
                choice = tok
            if total > u:
                break
        picked.append(choice)
    return torch.tensor(picked, dtype=torch.long, device=probs.device)
