import math
from functools import cached_property

import torch


class Alibi:
    """ALiBi for one number of heads. `of` keeps one object per number."""

    _known: dict = {}

    def __init__(self, heads):
        assert heads >= 1, heads
        self.heads = heads

    @classmethod
    def of(cls, heads):
        return cls._known.setdefault(heads, cls(heads))

    @staticmethod
    def exponents(n):
        return [8 * (i + 1) / n for i in range(n)]

    @cached_property
    def log2_slopes(self):
        n = 2 ** math.floor(math.log2(self.heads))
        missing = self.heads - n
        return self.exponents(n) + self.exponents(2 * n)[::2][:missing]

    @property
    def slopes(self):
        return torch.exp2(-torch.tensor(self.log2_slopes, dtype=torch.float32))

    def bias(self, query_length, key_length):
        keys = torch.arange(key_length)
        queries = keys[key_length - query_length:, None]
        distance = queries - keys
        out = -self.slopes[:, None, None] * distance
        return out.masked_fill(distance < 0, float("-inf"))


def slopes(heads):
    return Alibi.of(heads).slopes


def bias(heads, query_length, key_length):
    return Alibi.of(heads).bias(query_length, key_length)


def attention(query, key, value):
    (_, heads, tq, dim), tk = query.shape, key.shape[-2]
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * dim ** -0.5
    extra = bias(heads, tq, tk).to(device=scores.device, dtype=scores.dtype)
    return torch.einsum("bhqk,bhkv->bhqv", torch.softmax(scores + extra, -1), value)
