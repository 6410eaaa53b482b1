# wrong: sampling probs-not-renormalised line 53
# fair: probs-not-renormalised 54
from typing import NamedTuple

import torch


class Config(NamedTuple):
    temperature: float
    top_k: int
    top_p: float
    min_p: float


def penalize(logits, tokens, penalty):
    picked = logits.gather(1, tokens)
    return logits.scatter(1, tokens, torch.where(picked > 0, picked / penalty, picked * penalty))


def _hide(logits, hidden):
    return logits.masked_fill(hidden, float("-inf"))


def keep_top_k(logits, k):
    return _hide(logits, logits < logits.topk(k).values[:, -1, None])


def keep_top_p(logits, p):
    ordered, places = logits.sort(descending=True)
    chances = ordered.softmax(-1)
    late = chances.cumsum(-1) - chances >= p
    return _hide(logits, late.scatter(1, places, late))


def keep_min_p(logits, p):
    chances = logits.softmax(-1)
    return _hide(logits, chances < p * chances.amax(-1, keepdim=True))


def _filtered(logits, config):
    if config.top_k:
        logits = keep_top_k(logits, config.top_k)
    if config.top_p < 1:
        logits = keep_top_p(logits, config.top_p)
    if config.min_p > 0:
        logits = keep_min_p(logits, config.min_p)
    return logits


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    tempered = penalize(logits, tokens, penalty) / temperature
    filtered = _filtered(tempered, Config(temperature, top_k, top_p, min_p))
    probs = tempered.softmax(-1)
    probs = torch.where(torch.isinf(filtered), torch.zeros_like(probs), probs)
    return probs


def draw(probs, uniform):
    return (probs.cumsum(-1) <= uniform[:, None]).sum(-1)
