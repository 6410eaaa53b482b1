# right: sampling
import torch
from torch import vmap


def _penalize(row, seen, penalty):
    values = row[seen]
    values = torch.where(values < 0, values * penalty, values / penalty)
    return row.scatter(0, seen, values)


def _nucleus(row, p):
    probs, order = row.softmax(0).sort(descending=True)
    kept = torch.cat([probs.new_zeros(1), probs.cumsum(0)[:-1]]) < p
    where = torch.zeros_like(kept).scatter(0, order, kept)
    return torch.where(where, row, -torch.inf)


def penalize(logits, tokens, penalty):
    return vmap(_penalize, in_dims=(0, 0, None))(logits, tokens, penalty)


def keep_top_k(logits, k):
    return vmap(lambda row: torch.where(row >= row.topk(k).values.min(), row, -torch.inf))(logits)


def keep_top_p(logits, p):
    return vmap(lambda row: _nucleus(row, p))(logits)


def keep_min_p(logits, p):
    def one(row):
        chances = row.softmax(0)
        return torch.where(chances >= p * chances.max(), row, -torch.inf)

    return vmap(one)(logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    steps = [
        lambda x: penalize(x, tokens, penalty),
        lambda x: x / temperature,
        lambda x: keep_top_k(x, top_k) if top_k else x,
        lambda x: keep_top_p(x, top_p),
        lambda x: keep_min_p(x, min_p),
        lambda x: x.softmax(-1),
    ]
    for step in steps:
        logits = step(logits)
    return logits


def draw(probs, uniform):
    return vmap(lambda row, u: (row.cumsum(0) <= u).sum().clamp(max=len(row) - 1))(probs, uniform)
