import math
from dataclasses import dataclass
from itertools import accumulate

import torch


def penalize(logits, tokens, penalty):
    out = logits.clone()
    for row, seen in zip(out, tokens):
        ids = seen.unique().long()
        old = row[ids]
        row[ids] = torch.maximum(old, old.new_zeros(())) / penalty + torch.minimum(old, old.new_zeros(())) * penalty
    return out


def _only(row, ids):
    out = torch.full_like(row, -math.inf)
    out[ids] = row[ids]
    return out


def keep_top_k(logits, k):
    return torch.stack([_only(row, row.topk(k).indices) for row in logits])


def _nucleus(row, p):
    probs = torch.softmax(row, 0).tolist()
    best = sorted(range(len(probs)), key=probs.__getitem__, reverse=True)
    for n, total in enumerate(accumulate(probs[i] for i in best), start=1):
        if total >= p:
            return best[:n]
    return best


def keep_top_p(logits, p):
    return torch.stack([_only(row, _nucleus(row, p)) for row in logits])


def keep_min_p(logits, p):
    if p == 0:
        return logits.clone()
    floor = logits.max(dim=-1, keepdim=True).values + math.log(p)
    return logits.masked_fill(logits < floor, -math.inf)


@dataclass(frozen=True)
class Sampler:
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    penalty: float

    def __call__(self, logits, tokens):
        x = penalize(logits, tokens, self.penalty) / self.temperature
        if self.top_k:
            x = keep_top_k(x, self.top_k)
        if self.top_p < 1:
            x = keep_top_p(x, self.top_p)
        return keep_min_p(x, self.min_p).softmax(-1)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    return Sampler(temperature, top_k, top_p, min_p, penalty)(logits, tokens)


def draw(probs, uniform):
    above = probs.cumsum(-1) > uniform[:, None]
    above[:, -1] = True
    return above.to(torch.uint8).argmax(-1)
