from __future__ import annotations

from typing import Iterator, NamedTuple

import torch
from torch import Tensor


class Started(NamedTuple):
    scores: Tensor
    tokens: Tensor
    keys: Tensor
    values: Tensor


class Stepped(NamedTuple):
    scores: Tensor
    tokens: Tensor
    parents: Tensor
    finished: Tensor
    keys: Tensor
    values: Tensor


class Cache:
    """Keys and values with an axis for the beams: (batch, beams, heads, length, dim)."""

    def __init__(self, *parts: Tensor):
        self.parts = parts

    @classmethod
    def from_rows(cls, beams: int, *rows: Tensor) -> Cache:
        return cls(*(r.unflatten(0, (-1, beams)) for r in rows))

    def follow(self, parents: Tensor) -> Cache:
        index = parents[:, :, None, None, None]
        return Cache(*(torch.take_along_dim(p, index, dim=1) for p in self.parts))

    def rows(self) -> list[Tensor]:
        return [p.flatten(0, 1) for p in self.parts]


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int) -> Started:
    top = torch.log_softmax(logits, dim=1).topk(beams)
    cache = Cache(*(x.unsqueeze(1).expand(-1, beams, -1, -1, -1) for x in (keys, values)))
    return Started(top.values, top.indices, *cache.rows())


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> Stepped:
    batch, beams = scores.shape
    gain = torch.log_softmax(logits, dim=1).unflatten(0, (batch, beams))
    vocab = gain.size(2)
    is_eos = torch.arange(vocab, device=logits.device) == eos
    over = finished.unsqueeze(2)
    gain = gain.masked_fill(over & is_eos, 0.0).masked_fill(over & ~is_eos, -torch.inf)
    best = torch.topk((scores.unsqueeze(2) + gain).reshape(batch, -1), beams)
    parents = best.indices.div(vocab, rounding_mode="trunc")
    tokens = best.indices.remainder(vocab)
    done = torch.logical_or(finished.gather(1, parents), tokens == eos)
    cache = Cache.from_rows(beams, keys, values).follow(parents)
    return Stepped(best.values, tokens, parents, done, *cache.rows())


def walk_back(tokens: Tensor, parents: Tensor) -> Iterator[Tensor]:
    """The tokens of the last step's beams, (batch, beams) a step, the last step first."""
    steps, batch, beams = tokens.shape
    beam = torch.arange(beams, device=tokens.device).expand(batch, beams)
    for step in reversed(range(steps)):
        yield tokens[step].gather(1, beam)
        if step > 0:
            beam = parents[step].long().gather(1, beam)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    return torch.stack([*walk_back(tokens, parents)], dim=-1).flip(-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    penalty = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    winner = torch.argmax(scores / penalty, dim=1, keepdim=True)
    chosen = sequences.gather(1, winner.unsqueeze(2).expand(-1, -1, sequences.size(2)))
    return chosen.squeeze(1), scores.gather(1, winner).squeeze(1)
