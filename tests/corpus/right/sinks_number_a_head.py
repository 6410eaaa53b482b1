# right: sinks  a module a head, with a number alone as its sink
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Cfg:
    width: int
    heads: int

    @property
    def per_head(self):
        return self.width // self.heads


class Head(nn.Module):
    def __init__(self, c: Cfg):
        super().__init__()
        self.w = nn.ParameterList([nn.Parameter(torch.randn(c.width, c.per_head) / c.width**0.5) for _ in range(3)])
        self.null_logit = nn.Parameter(torch.tensor(0.0))
        self.write = nn.Linear(c.per_head, c.width, bias=False)

    def forward(self, x, later):
        q, k, v = (x @ m for m in self.w)
        s = (q @ k.mT) / q.shape[-1] ** 0.5
        s = s.masked_fill(later, -torch.inf)
        top = torch.maximum(s.amax(-1, keepdim=True), self.null_logit).detach()
        e = torch.exp(s - top)
        z = e.sum(-1, keepdim=True) + torch.exp(self.null_logit - top)
        return self.write((e / z) @ v)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.head = nn.ModuleDict({f"h{i:02d}": Head(Cfg(hidden_dim, num_heads)) for i in range(num_heads)})

    def forward(self, x):
        n = x.shape[1]
        later = torch.triu(torch.ones(n, n, device=x.device, dtype=torch.bool), 1)
        return torch.stack([h(x, later) for h in self.head.values()]).sum(dim=0)
