from functools import reduce
from typing import NamedTuple

import torch


class State(NamedTuple):
    m: torch.Tensor      # largest score so far
    l: torch.Tensor      # sum of exponentials, relative to m
    o: torch.Tensor      # not yet divided


def tiles(key, value, size):
    at = 0
    for k, v in zip(key.split(size, 2), value.split(size, 2)):
        yield at, k, v
        at += k.size(2)


def flash_attention(query, key, value, block_size, causal=False):
    acc = torch.float64 if query.dtype == torch.float64 else torch.float32
    q = query.to(acc) * query.size(-1) ** -0.5
    place = torch.arange(q.size(2), device=q.device).view(-1, 1)

    def step(state, tile):
        at, k, v = tile
        s = q @ k.to(acc).mT
        if causal:
            s.masked_fill_(place < torch.arange(at, at + k.size(2), device=q.device), float("-inf"))
        # a tile that lies ahead has only -inf: then m stays, and it never is -inf after the first tile
        m = torch.maximum(state.m, s.amax(-1, keepdim=True))
        p = torch.exp(s - m)
        fade = torch.exp(state.m - m)
        return State(m, fade * state.l + p.sum(-1, keepdim=True), fade * state.o + p @ v.to(acc))

    first = State(
        q.new_full((*q.shape[:3], 1), float("-inf")), q.new_zeros((*q.shape[:3], 1)), torch.zeros_like(q)
    )
    last = reduce(step, tiles(key, value, block_size), first)
    return (last.o / last.l).to(query.dtype)
