import math
from functools import partial, reduce

import torch
from torch import Tensor, nn


def rms_norm(gain_minus_one, eps, u):
    wide = u.to(torch.promote_types(u.dtype, torch.float32))
    root = torch.sqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    return ((wide / root) * (1 + gain_minus_one)).to(u.dtype)


def hide_later(s):
    i = torch.arange(s.shape[-1], device=s.device)
    return torch.where(i[None] <= i[:, None], s, -math.inf)


def chain(*fs):
    return lambda x: reduce(lambda acc, f: f(acc), fs, x)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.wq, self.wk, self.wv = (
            nn.ModuleList(nn.Linear(hidden_dim, d, bias=False) for _ in range(num_heads)) for _ in range(3)
        )
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.query_gain = nn.Parameter(torch.zeros(d))
        self.key_gain = nn.Parameter(torch.zeros(d))

    def forward(self, x: Tensor) -> Tensor:
        nq = partial(rms_norm, self.query_gain, 1e-6)
        nk = partial(rms_norm, self.key_gain, 1e-6)

        def head(fq, fk, fv):
            q, k, v = chain(fq, nq)(x), chain(fk, nk)(x), fv(x)
            return chain(hide_later, partial(torch.softmax, dim=-1))(q @ k.mT / math.sqrt(q.shape[-1])) @ v

        return self.wo(torch.cat([*map(head, self.wq, self.wk, self.wv)], dim=-1))
