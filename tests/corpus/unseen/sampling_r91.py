from __future__ import annotations

from dataclasses import asdict, dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor

OUT = float("-inf")


@dataclass
class Cut:
    k: int = 0
    nucleus: float = 1.0
    floor: float = 0.0

    def chain(self):
        if self.k:
            yield lambda z: keep_top_k(z, self.k)
        if self.nucleus < 1:
            yield lambda z: keep_top_p(z, self.nucleus)
        if self.floor > 0:
            yield lambda z: keep_min_p(z, self.floor)


@dataclass
class Sampler:
    heat: float = 1.0
    rep: float = 1.0
    cut: Cut = field(default_factory=Cut)

    def __call__(self, logits: Tensor, tokens: Tensor) -> Tensor:
        z = penalize(logits, tokens, self.rep) / self.heat
        for only in self.cut.chain():
            z = only(z)
        return z.softmax(dim=-1)


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    had = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    weaker = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(had, weaker, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    best, where = logits.topk(k, dim=-1)
    return torch.full_like(logits, OUT).scatter(-1, where, best)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1:
        return logits.clone()
    ordered, where = logits.sort(dim=-1, descending=True)
    ahead = F.pad(ordered.softmax(-1).cumsum(-1)[..., :-1], (1, 0))  # what is likelier adds up to this
    kept = ordered.masked_fill(ahead >= p, OUT)
    return torch.empty_like(logits).scatter(-1, where, kept)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=-1)
    return logits.masked_fill(probs < p * probs.amax(dim=-1, keepdim=True), OUT)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    return Sampler(temperature, penalty, Cut(top_k, top_p, min_p))(logits, tokens)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    passed = probs.cumsum(dim=-1) <= uniform.unsqueeze(-1)
    number = torch.arange(probs.size(-1), device=probs.device)
    last = torch.where(probs > 0, number, 0).amax(dim=-1)
    return torch.minimum(passed.sum(dim=-1), last)
