# attn-kata: causal
from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Callable

import torch
from torch import Tensor, nn

# (query index, key index) -> may attend, on scalars; see `materialize`
MaskFunction = Callable[[Tensor, Tensor], Tensor]


def causal_mask_function(q_idx: Tensor, kv_idx: Tensor) -> Tensor:
    return kv_idx <= q_idx


def materialize(mask_function: MaskFunction, length: int, device: torch.device) -> Tensor:
    """Maps a predicate on two positions over the whole (length, length) grid."""
    index = torch.arange(length, device=device)
    over_keys = torch.vmap(mask_function, in_dims=(None, 0))
    over_both = torch.vmap(over_keys, in_dims=(0, None))
    return over_both(index, index)


@dataclass(frozen=True)
class AttentionConfig:
    hidden_dim: int
    num_heads: int
    block_size: int

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads


class HeadwiseAttention(nn.Module, ABC):
    """Weights of all heads as (heads, hidden_dim, head_dim), the way Flax's DenseGeneral has them."""

    def __init__(self, config: AttentionConfig) -> None:
        super().__init__()
        self.config = config
        kernel = (config.num_heads, config.hidden_dim, config.head_dim)
        self.kernels = nn.ParameterDict(
            {name: nn.Parameter(torch.empty(kernel)) for name in ("query", "key", "value")}
        )
        self.out_kernel = nn.Parameter(
            torch.empty(config.num_heads, config.head_dim, config.hidden_dim)
        )
        self.out_bias = nn.Parameter(torch.zeros(config.hidden_dim))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.config.hidden_dim)
        for parameter in (*self.kernels.values(), self.out_kernel):
            nn.init.uniform_(parameter, -bound, bound)

    @property
    @abstractmethod
    def mask_function(self) -> MaskFunction: ...

    def project(self, x: Tensor, name: str) -> Tensor:
        return torch.einsum("btm,hmd->bhtd", x, self.kernels[name])

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (self.project(x, name) for name in ("query", "key", "value"))
        allowed = materialize(self.mask_function, x.size(1), x.device)
        logits = torch.einsum("bhtd,bhsd->bhts", query, key) / math.sqrt(self.config.head_dim)
        logits = torch.where(allowed, logits, float("-inf"))
        weights = torch.softmax(logits, dim=-1)
        return torch.einsum("bhts,bhsd,hdm->btm", weights, value, self.out_kernel) + self.out_bias


class CausalSelfAttention(HeadwiseAttention):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__(AttentionConfig(hidden_dim, num_heads, block_size))

    @property
    def mask_function(self) -> MaskFunction:
        return causal_mask_function

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) > self.config.block_size:
            raise ValueError(f"{x.size(1)} positions, block_size is {self.config.block_size}")
        return super().forward(x)
