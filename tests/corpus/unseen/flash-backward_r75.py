import math
from dataclasses import dataclass, field

import torch
from torch import Tensor


@dataclass
class Workspace:
    query: Tensor
    key: Tensor
    value: Tensor
    lse: Tensor
    delta: Tensor
    grad: Tensor
    block: int
    causal: bool
    scale: float = field(init=False)
    dq: Tensor = field(init=False)
    dk: Tensor = field(init=False)
    dv: Tensor = field(init=False)

    def __post_init__(self):
        self.scale = 1 / math.sqrt(self.query.shape[-1])
        self.dq, self.dk, self.dv = map(torch.zeros_like, (self.query, self.key, self.value))

    @property
    def spans(self):
        return self._cut(self.block)

    def _cut(self, size: int) -> list[slice]:
        n = self.query.shape[-2]
        return [slice(i, min(i + size, n)) for i in range(0, n, size)]

    def visit(self, i: slice, j: slice) -> None:
        q, k, v, g = self.query[:, :, i], self.key[:, :, j], self.value[:, :, j], self.grad[:, :, i]
        exponent = q @ k.mT * self.scale - self.lse[:, :, i, None]
        if self.causal and j.stop > i.start:
            row = torch.arange(i.start, i.stop, device=q.device).unsqueeze(1)
            col = torch.arange(j.start, j.stop, device=q.device)
            exponent = torch.where(col <= row, exponent, exponent.new_tensor(-math.inf))
        p = exponent.exp()
        ds = p * (g @ v.mT - self.delta[:, :, i, None]) * self.scale
        self.dv[:, :, j] += p.mT @ g
        self.dk[:, :, j] += ds.mT @ q
        self.dq[:, :, i] += ds @ k

    def run(self):
        for i in self._cut(max(self.block, 64)):       # tiles of queries, seldom small
            for j in self.spans:
                if not (self.causal and j.start > i.stop - 1):
                    self.visit(i, j)
        return self.dq, self.dk, self.dv


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    t = query.dtype
    w = t if t == torch.float64 else torch.float32
    delta = torch.linalg.vecdot(output.to(w), grad_output.to(w))
    job = Workspace(query.to(w), key.to(w), value.to(w), lse.to(w), delta, grad_output.to(w), block_size, causal)
    return tuple(x.to(t) for x in job.run())
