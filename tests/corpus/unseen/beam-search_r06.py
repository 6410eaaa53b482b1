# attn-kata: beam-search
from functools import partial, reduce

import torch
from torch import Tensor, vmap


def _take(parents: Tensor, cache: Tensor) -> Tensor:
    return cache.index_select(0, parents)


def _by_sample(x: Tensor, n: int) -> Tensor:
    return torch.stack(x.tensor_split(n, dim=0))


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    def one(row):
        top = row.log_softmax(0).topk(beams)
        return top.values, top.indices

    scores, tokens = vmap(one)(logits)
    spread = lambda c: torch.stack([c] * beams, dim=1).flatten(0, 1)
    return scores, tokens, spread(keys), spread(values)


def _one_step(beams: int, eos: int, scores: Tensor, logits: Tensor, done: Tensor):
    vocab = logits.shape[-1]
    stay = torch.where(torch.arange(vocab, device=logits.device) == eos, 0.0, float("-inf")).to(logits.dtype)
    cost = torch.where(done.unsqueeze(-1), stay, logits.log_softmax(-1))
    new, where = (scores.unsqueeze(-1) + cost).flatten().topk(beams)
    parents, tokens = where.div(vocab, rounding_mode="trunc"), where.fmod(vocab)
    return new, tokens, parents, done[parents] | (tokens == eos)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    n, beams = scores.shape
    split = partial(_by_sample, n=n)
    new, tokens, parents, done = vmap(partial(_one_step, beams, eos))(scores, split(logits), finished)
    reorder = lambda c: vmap(_take)(parents, split(c)).flatten(0, 1)
    return new, tokens, parents, done, reorder(keys), reorder(values)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    def grow(history: Tensor, step) -> Tensor:
        token, parent = step
        moved = history.take_along_dim(parent.long().unsqueeze(0), dim=2)
        return torch.cat((moved, token.unsqueeze(0)))

    return reduce(grow, zip(tokens[1:], parents[1:]), tokens[:1]).movedim(0, -1).clone()


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    def penalize(s, n):
        return s * (6.0 / (5.0 + n)) ** alpha

    top = penalize(scores, lengths.to(scores)).max(-1)
    pick = top.indices.view(-1, 1, 1).expand(-1, 1, sequences.shape[-1])
    return sequences.gather(1, pick)[:, 0], top.values
