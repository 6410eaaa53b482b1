# attn-kata: linear
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


def phi(x: Tensor) -> Tensor:
    """elu(x) + 1,拆成两半:正半轴 relu(x),负半轴 exp(min(x, 0))。exp 永远不会溢出。"""
    return x.relu() + x.clamp(max=0).exp()


def widen(*tensors: Tensor) -> list[Tensor]:
    """half -> float32 (1000 * 1000 在 fp16 里已经是 inf);其余不动"""
    return [t.to(torch.promote_types(t.dtype, torch.float32)) for t in tensors]


def with_ones(value: Tensor) -> Tensor:
    """[v | 1]:最后一列跟着一起累加,天然就是分母"""
    return torch.cat([value, value.new_ones(*value.shape[:-1], 1)], dim=-1)


def ratio(packed: Tensor) -> Tensor:
    return packed[..., :-1] / packed[..., -1:]


@dataclass(frozen=True)
class Memory:
    """Immutable state; 每吸收一个位置就得到一个新对象,autograd 不会被原地修改破坏。"""

    table: Tensor  # (batch, heads, head_dim, value_dim + 1)

    @classmethod
    def blank(cls, k: Tensor, v: Tensor) -> Memory:
        return cls(k.new_zeros(*k.shape[:2], k.size(-1), v.size(-1)))

    def absorb(self, k: Tensor, v: Tensor) -> Memory:
        return Memory(self.table + k.unsqueeze(-1) * v.unsqueeze(-2))

    def read(self, q: Tensor) -> Tensor:
        return torch.einsum("bhd,bhdv->bhv", q, self.table)


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    dtype = query.dtype
    query, key, value = widen(query, key, value)
    table = phi(key).mT @ with_ones(value)
    return ratio(phi(query) @ table).to(dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    dtype = query.dtype
    query, key, value = widen(query, key, value)
    q_seq, k_seq = phi(query).unbind(2), phi(key).unbind(2)
    v_seq = with_ones(value).unbind(2)

    memory = Memory.blank(k_seq[0], v_seq[0])
    rows: list[Tensor] = []
    for q, k, v in zip(q_seq, k_seq, v_seq):
        memory = memory.absorb(k, v)
        rows.append(memory.read(q))
    return ratio(torch.stack(rows, dim=2)).to(dtype)
