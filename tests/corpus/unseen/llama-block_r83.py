from __future__ import annotations
from dataclasses import dataclass
from functools import singledispatchmethod

import torch
from torch import Tensor, nn


@dataclass
class AttentionSpec:
    hidden: int
    heads: int
    kv_heads: int

    @property
    def d(self) -> int:
        return self.hidden // self.heads


@dataclass
class MlpSpec:
    hidden: int
    inner: int


class LlamaBlock(nn.Module):
    """All weights in one ParameterDict, named as in a checkpoint and stored (in, out)."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.weights = nn.ParameterDict()
        self.attention = AttentionSpec(hidden_dim, num_heads, num_kv_heads)
        self.mlp = MlpSpec(hidden_dim, mlp_dim)
        self.build(self.attention)
        self.build(self.mlp)

    def _add(self, name: str, *shape: int) -> None:
        self.weights[name] = nn.Parameter(torch.randn(*shape) / shape[0] ** 0.5 if len(shape) > 1 else torch.ones(shape))

    @singledispatchmethod
    def build(self, spec) -> None:
        raise TypeError(type(spec))

    @build.register
    def _(self, spec: AttentionSpec) -> None:
        self._add("attention_norm", spec.hidden)
        self._add("wq", spec.hidden, spec.hidden)
        for name in ("wk", "wv"):
            self._add(name, spec.hidden, spec.kv_heads * spec.d)
        self._add("wo", spec.hidden, spec.hidden)

    @build.register
    def _(self, spec: MlpSpec) -> None:
        self._add("ffn_norm", spec.hidden)
        self._add("w1", spec.hidden, spec.inner)
        self._add("w3", spec.hidden, spec.inner)
        self._add("w2", spec.inner, spec.hidden)

    def _norm(self, x: Tensor, name: str) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        size = torch.linalg.vector_norm(wide, dim=-1, keepdim=True) / x.shape[-1] ** 0.5
        return (wide / torch.hypot(size, size.new_full((), 1e-5**0.5))).to(x.dtype) * self.weights[name]

    def _heads(self, x: Tensor, name: str) -> Tensor:
        return (x @ self.weights[name]).unflatten(-1, (-1, self.attention.d)).transpose(1, 2)

    @staticmethod
    def _turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        # x * [cos, cos] + [-b, a] * [sin, sin]
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        crossed = wide.roll(x.shape[-1] // 2, dims=-1)
        return torch.addcmul(wide * cos.repeat(1, 2), crossed, torch.cat([-sin, sin], -1).to(wide.dtype)).to(x.dtype)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        u, spec = self._norm(x, "attention_norm"), self.attention
        q, k = (self._turn(self._heads(u, n), cos, sin) for n in ("wq", "wk"))
        v = self._heads(u, "wv")
        q = q.unflatten(1, (spec.kv_heads, -1))
        scores = torch.einsum("zkgid,zkjd->zkgij", q, k) * spec.d**-0.5
        n = x.shape[1]
        scores = scores + torch.full((n, n), float("-inf"), dtype=scores.dtype, device=x.device).triu(1)
        mixed = torch.einsum("zkgij,zkjd->zikgd", scores.softmax(-1), v).flatten(2)
        h = torch.add(x, mixed @ self.weights["wo"])
        u = self._norm(h, "ffn_norm")
        gate = u @ self.weights["w1"]
        return torch.add(h, (gate * gate.sigmoid() * (u @ self.weights["w3"])) @ self.weights["w2"])
