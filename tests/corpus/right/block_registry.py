# right: block
from __future__ import annotations

import abc
import functools
import math
from typing import Callable, Dict, NamedTuple, Type

import torch
from torch import Tensor, nn

NormFactory = Callable[[int], nn.Module]
_MIXERS: Dict[str, Type["TokenMixer"]] = {}


def register(name: str):
    def deco(cls):
        _MIXERS[name] = cls
        return cls
    return deco


class HeadGeometry(NamedTuple):
    width: int
    heads: int

    @property
    def per_head(self) -> int:
        return self.width // self.heads


class QKV(NamedTuple):
    q: Tensor
    k: Tensor
    v: Tensor


class Sublayer(nn.Module, abc.ABC):
    @abc.abstractmethod
    def compute(self, h: Tensor) -> Tensor: ...

    def forward(self, h: Tensor) -> Tensor:
        out = self.compute(h)
        assert out.shape == h.shape, f"{type(self).__name__} changed the shape"
        return out


class TokenMixer(Sublayer):
    def __init__(self, geometry: HeadGeometry) -> None:
        super().__init__()
        self.geometry = geometry


@register("causal-softmax")
class CausalSoftmaxMixer(TokenMixer):
    def __init__(self, geometry: HeadGeometry) -> None:
        super().__init__(geometry)
        make = functools.partial(nn.Linear, geometry.width, geometry.width, bias=False)
        self.projections = nn.ModuleDict({role: make() for role in ("value", "query", "key")})
        self.output = make()

    def project(self, h: Tensor) -> QKV:
        shape = (self.geometry.heads, self.geometry.per_head)
        split = lambda role: self.projections[role](h).unflatten(-1, shape).transpose(-3, -2)
        return QKV(q=split("query"), k=split("key"), v=split("value"))

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def allowed(length: int, device: torch.device) -> Tensor:
        return torch.ones(length, length, dtype=torch.bool, device=device).tril_()

    def weights(self, qkv: QKV) -> Tensor:
        logits = (qkv.q @ qkv.k.transpose(-2, -1)).div(math.sqrt(self.geometry.per_head))
        logits = logits.masked_fill(~self.allowed(logits.size(-1), logits.device), -math.inf)
        return logits.softmax(-1)

    def compute(self, h: Tensor) -> Tensor:
        qkv = self.project(h)
        return self.output((self.weights(qkv) @ qkv.v).transpose(-3, -2).flatten(-2))


class PositionwiseMLP(Sublayer):
    def __init__(self, width: int, expansion: int = 4) -> None:
        super().__init__()
        self.stack = nn.Sequential(
            nn.Linear(width, expansion * width, bias=False),
            nn.GELU(),
            nn.Linear(expansion * width, width, bias=False),
        )

    def compute(self, h: Tensor) -> Tensor:
        return self.stack(h)


class PreNormBranch(nn.Module):
    """x -> x + sublayer(norm(x))"""

    def __init__(self, sublayer: Sublayer, width: int, norm: NormFactory) -> None:
        super().__init__()
        self.sublayer = sublayer
        self.norm = norm(width)

    def forward(self, stream: Tensor) -> Tensor:
        return torch.add(stream, self.sublayer(self.norm(stream)))


class ResidualStack(nn.Module):
    norm_factory: NormFactory = functools.partial(nn.LayerNorm, eps=1e-5, bias=False)

    def __init__(self) -> None:
        super().__init__()
        self.branches = nn.ModuleList(self.build())

    def build(self):
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        return functools.reduce(lambda stream, branch: branch(stream), self.branches, x)


class TransformerBlock(ResidualStack):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        self._geometry = HeadGeometry(hidden_dim, num_heads)
        super().__init__()

    def build(self):
        width = self._geometry.width
        norm = type(self).norm_factory
        yield PreNormBranch(_MIXERS["causal-softmax"](self._geometry), width, norm)
        yield PreNormBranch(PositionwiseMLP(width), width, norm)
