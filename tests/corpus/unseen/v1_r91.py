from dataclasses import dataclass
from functools import partial

import torch
from torch import nn


@dataclass(frozen=True)
class C:
    d: int  # model width


def init(c: C, n: str) -> tuple[str, nn.Parameter]:
    return n, nn.Parameter(torch.randn(c.d, c.d) * c.d**-0.5)


def one_sample(p, temp, x):  # x: [T, D]
    q, k, v = (x @ p[n] for n in "qkv")
    logits = (q / temp) @ k.T  # [T, T]
    return torch.softmax(logits, dim=-1) @ v


class SelfAttentionV1(nn.Module):
    def __init__(self, c: C):
        super().__init__()
        self.c = c
        self.p = nn.ParameterDict(dict(init(c, n) for n in "qkv"))

    def forward(self, x):
        fn = partial(one_sample, self.p, self.c.d**0.5)
        return torch.vmap(fn)(x)
