# attn-kata: llama-block
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Callable, ClassVar

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class BlockConfig:
    hidden_size: int
    num_attention_heads: int
    num_key_value_heads: int
    intermediate_size: int
    rms_norm_eps: float = 1e-5
    hidden_act: str = "silu"

    @cached_property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    @cached_property
    def num_key_value_groups(self) -> int:
        return self.num_attention_heads // self.num_key_value_heads


@dataclass(frozen=True, eq=False)
class Rotation:
    """cos and sin of each position, as handed in: (length, head_dim/2)."""

    cos: Tensor
    sin: Tensor

    def __call__(self, states: Tensor) -> Tensor:
        """states: (batch, length, ..., head_dim)"""
        shape = (states.size(1), *(1 for _ in states.shape[2:-1]), -1)
        cos, sin = self.cos.reshape(shape), self.sin.reshape(shape)
        pairs = states.unflatten(-1, (2, -1))
        real, imag = pairs.unbind(-2)
        turned = torch.stack((real * cos - imag * sin, imag * cos + real * sin), dim=-2)
        return turned.flatten(-2).to(states.dtype)


ACT2FN: dict[str, Callable[[Tensor], Tensor]] = {"silu": lambda z: z * torch.sigmoid(z)}


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.variance_epsilon = eps

    def forward(self, u: Tensor) -> Tensor:
        wide = u.to(torch.promote_types(u.dtype, torch.float32))
        variance = wide.square().mean(-1, keepdim=True)
        return (wide * torch.rsqrt(variance + self.variance_epsilon)).to(u.dtype) * self.weight


class GroupedAttention(nn.Module):
    """The query heads of a group are an axis of their own; keys and values are never repeated."""

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.config = config
        c = config
        # laid out group by group, as in InternLM2: its queries, then its key, then its value
        self.wqkv = nn.Linear(
            c.hidden_size, c.num_key_value_heads * (c.num_key_value_groups + 2) * c.head_dim, bias=False
        )
        self.wo = nn.Linear(c.hidden_size, c.hidden_size, bias=False)

    def forward(self, u: Tensor, rotation: Rotation) -> Tensor:
        c = self.config
        packed = self.wqkv(u).unflatten(
            -1, (c.num_key_value_heads, c.num_key_value_groups + 2, c.head_dim)
        )
        query, key, value = packed.split((c.num_key_value_groups, 1, 1), dim=-2)
        query, key = rotation(query), rotation(key).squeeze(-2)
        value = value.squeeze(-2)

        scores = torch.einsum("bikgd,bjkd->bkgij", query, key) / math.sqrt(c.head_dim)
        step = torch.arange(u.size(1), device=u.device)
        scores = scores.masked_fill(step[:, None] < step, -torch.inf)
        context = torch.einsum("bkgij,bjkd->bikgd", scores.softmax(-1), value)
        return self.wo(context.flatten(2))


class GatedMLP(nn.Module):
    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.act_fn = ACT2FN[config.hidden_act]
        self.gate_up_proj = nn.Linear(config.hidden_size, 2 * config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, u: Tensor, rotation: Rotation) -> Tensor:
        gate, up = self.gate_up_proj(u).chunk(2, dim=-1)
        return self.down_proj(self.act_fn(gate) * up)


class PreNormResidual(nn.Module):
    def __init__(self, inner: nn.Module, config: BlockConfig) -> None:
        super().__init__()
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.inner = inner

    def forward(self, stream: Tensor, rotation: Rotation) -> Tensor:
        return stream + self.inner(self.norm(stream), rotation)


class LlamaBlock(nn.Module):
    sublayer_types: ClassVar[tuple[type[nn.Module], ...]] = (GroupedAttention, GatedMLP)

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.config = BlockConfig(hidden_dim, num_heads, num_kv_heads, mlp_dim)
        self.sublayers = nn.ModuleList(
            PreNormResidual(kind(self.config), self.config) for kind in self.sublayer_types
        )

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        rotation = Rotation(cos, sin)
        for sublayer in self.sublayers:
            x = sublayer(x, rotation)
        return x
