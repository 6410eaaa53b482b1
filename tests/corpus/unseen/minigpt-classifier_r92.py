from __future__ import annotations

import math
from functools import partial, reduce
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

HP = SimpleNamespace(eps=1e-5, mlp=SimpleNamespace(factor=4))
make_norm = partial(nn.LayerNorm, eps=HP.eps)


class Attention(nn.Module):
    """Weights lie as (role, head, width, head width), the way out as (head, head width, width)."""

    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(3, h, d, d // h) / math.sqrt(d))
        self.o = nn.Parameter(torch.randn(h, d // h, d) / math.sqrt(d))
        self.b = nn.Parameter(torch.zeros(d))

    def forward(self, x: Tensor, blind: Tensor) -> Tensor:
        q, k, v = torch.einsum("btd,rhde->rbhte", x, self.w)
        s = torch.einsum("bhie,bhje->bhij", q, k) / math.sqrt(q.shape[-1])
        s = s.masked_fill(blind, torch.finfo(s.dtype).min)
        c = torch.einsum("bhij,bhje->bhie", s.softmax(-1), v)
        return torch.einsum("bhie,hed->bid", c, self.o) + self.b


class Block(nn.Module):
    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.pre = nn.ModuleList([make_norm(d), make_norm(d)])
        self.att = Attention(d, h)
        self.up = nn.Linear(d, HP.mlp.factor * d)
        self.down = nn.Linear(HP.mlp.factor * d, d)

    def forward(self, x: Tensor, blind: Tensor) -> Tensor:
        x = x + self.att(self.pre[0](x), blind)
        return x + self.down(F.gelu(self.up(self.pre[1](x))))


class GPTClassifier(nn.Module):
    block_factory = Block

    def __init__(
        self,
        vocab_size: int,
        block_size: int,
        hidden_dim: int,
        num_heads: int,
        num_layers: int,
        num_classes: int,
    ) -> None:
        super().__init__()
        self.tables = nn.ModuleDict(
            {"what": nn.Embedding(vocab_size, hidden_dim), "where": nn.Embedding(block_size, hidden_dim)}
        )
        build = partial(self.block_factory, hidden_dim, num_heads)
        self.blocks = nn.ModuleList(build() for _ in range(num_layers))
        self.last = make_norm(hidden_dim)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        real = mask != 0
        places = (real.long().cumsum(dim=1) - 1).clamp(min=0)
        steps = torch.arange(tokens.shape[1], device=tokens.device)
        later = steps[None, :] > steps[:, None]
        blind = later | ~real[:, None, None, :]  # (b, 1, t, t)
        x = self.tables["what"](tokens) + self.tables["where"](places)
        x = self.last(reduce(lambda y, block: block(y, blind), self.blocks, x))
        share = real.to(x.dtype) / real.sum(dim=1, keepdim=True).to(x.dtype)
        return self.head(torch.einsum("bt,btd->bd", share, x))
