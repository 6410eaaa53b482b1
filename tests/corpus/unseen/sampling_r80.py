from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import one_hot


@dataclass
class Row:
    logits: Tensor
    hidden: set = field(default_factory=set)

    def ranked(self) -> list[int]:
        return [t for t in self.logits.argsort(descending=True).tolist() if self.logits[t] > -torch.inf]

    def only(self, tokens) -> Tensor:
        out = torch.full_like(self.logits, -torch.inf)
        tokens = list(tokens)
        out[tokens] = self.logits[tokens]
        return out


def _each(function, logits: Tensor) -> Tensor:
    return torch.stack([function(Row(row)) for row in logits])


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = one_hot(tokens.long(), logits.shape[1]).amax(1).to(logits.dtype)
    changed = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.lerp(logits, changed, seen)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return _each(lambda r: r.only(r.ranked()[:k]), logits)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    def nucleus(r: Row) -> Tensor:
        probs = r.logits.softmax(0).tolist()
        kept, mass = [], 0.0
        for t in r.ranked():
            kept.append(t)
            mass += probs[t]
            if mass >= p:
                break
        return r.only(kept)

    return _each(nucleus, logits)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(1)
    return logits.where(probs >= probs.max(1, keepdim=True)[0].mul(p), torch.tensor(-torch.inf).to(logits))


def next_token_probs(
    logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0,
    top_p: float = 1.0, min_p: float = 0.0, penalty: float = 1.0,
) -> Tensor:
    z = penalize(logits, tokens, penalty).div(temperature)
    z = keep_top_k(z, top_k) if top_k else z
    z = keep_top_p(z, top_p) if top_p != 1 else z
    return keep_min_p(z, min_p).softmax(1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    sums = probs.cumsum(1)
    found = torch.searchsorted(sums.contiguous(), uniform.to(sums.dtype)[:, None].contiguous(), right=True)[:, 0]
    last = (probs > 0).long().mul(torch.arange(probs.shape[1], device=probs.device)).amax(1)
    return torch.minimum(found, last)
