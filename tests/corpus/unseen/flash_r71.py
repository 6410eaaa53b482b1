import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class Carry:
    peak: Tensor
    mass: Tensor
    acc: Tensor

    @classmethod
    def zero(cls, q: Tensor) -> "Carry":
        col = q[..., :1]
        return cls(torch.full_like(col, torch.finfo(q.dtype).min / 2), torch.zeros_like(col), torch.zeros_like(q))

    def absorb(self, s: Tensor, v: Tensor) -> "Carry":
        peak = torch.maximum(self.peak, s.amax(-1, keepdim=True))
        fade, p = (self.peak - peak).exp(), (s - peak).exp()
        return replace(self, peak=peak, mass=self.mass * fade + p.sum(-1, keepdim=True), acc=self.acc * fade + p @ v)

    @property
    def result(self) -> Tensor:
        return self.acc / self.mass


def scan(f, carry, xs):
    # jax.lax.scan without outputs
    for x in xs:
        carry = f(carry, x)
    return carry


def flash_attention(query, key, value, block_size, causal=False):
    n, d = query.shape[-2:]
    wide = torch.promote_types(query.dtype, torch.float32)
    q = query.to(wide) / math.sqrt(d)
    rows = torch.arange(n, device=query.device)[:, None]

    def step(carry: Carry, start: int) -> Carry:
        k = key[..., start : start + block_size, :].to(wide)
        v = value[..., start : start + block_size, :].to(wide)
        s = torch.einsum("bhqd,bhkd->bhqk", q, k)
        if causal:
            cols = start + torch.arange(k.size(-2), device=k.device)
            s = torch.where(cols <= rows, s, -torch.inf)
        return carry.absorb(s, v)

    return scan(step, Carry.zero(q), range(0, n, block_size)).result.to(query.dtype)
