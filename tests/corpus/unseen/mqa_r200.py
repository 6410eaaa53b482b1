# attn-kata: mqa
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Callable, Protocol

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class MultiQueryConfig:
    hidden_size: int
    num_attention_heads: int
    num_key_value_heads: int = 1
    projection_bias: bool = False

    def __post_init__(self) -> None:
        if self.hidden_size % self.num_attention_heads:
            raise ValueError(
                f"hidden_size {self.hidden_size} is not a multiple of {self.num_attention_heads} heads"
            )

    @cached_property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    @cached_property
    def scaling(self) -> float:
        return self.head_dim**-0.5

    @cached_property
    def split_sizes(self) -> tuple[int, int, int]:
        narrow = self.head_dim * self.num_key_value_heads
        return self.hidden_size, narrow, narrow


class AttentionFunction(Protocol):
    def __call__(
        self, query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None, scaling: float
    ) -> Tensor: ...


ATTENTION_FUNCTIONS: dict[str, AttentionFunction] = {}


def register(name: str) -> Callable[[AttentionFunction], AttentionFunction]:
    def decorator(function: AttentionFunction) -> AttentionFunction:
        ATTENTION_FUNCTIONS[name] = function
        return function

    return decorator


@register("folded")
def folded_attention(
    query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None, scaling: float
) -> Tensor:
    """One batched matmul per product: with a single key head all heads are just more rows.

    query (batch, length, heads, head_dim); key and value (batch, length, head_dim).
    """
    batch, length, heads, head_dim = query.shape
    rows = query.flatten(1, 2)
    logits = torch.bmm(rows * scaling, key.transpose(1, 2)).view(batch, length, heads, -1)
    if visible is not None:
        # broadcast mask is head-major, the rows here are position-major
        logits = logits.masked_fill(~visible.transpose(1, 2), torch.finfo(logits.dtype).min)
    wide = torch.promote_types(logits.dtype, torch.float32)
    probs = logits.softmax(-1, dtype=wide).to(value.dtype)
    return torch.bmm(probs.flatten(1, 2), value).view(batch, length, heads, head_dim)


@register("eager")
def eager_attention(
    query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None, scaling: float
) -> Tensor:
    logits = torch.einsum("bqhd,bkd->bhqk", query, key) * scaling
    if visible is not None:
        logits = logits.masked_fill(~visible, torch.finfo(logits.dtype).min)
    return torch.einsum("bhqk,bkd->bqhd", logits.softmax(-1), value)


class MultiQueryAttention(nn.Module):
    """Shazeer's one write-head, `folded` by default."""

    attn_implementation: str = "folded"

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.config = MultiQueryConfig(hidden_dim, num_heads)
        self.c_attn = nn.Linear(
            hidden_dim, sum(self.config.split_sizes), bias=self.config.projection_bias
        )
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=self.config.projection_bias)

    @property
    def attention_interface(self) -> AttentionFunction:
        return ATTENTION_FUNCTIONS[self.attn_implementation]

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query, key, value = self.c_attn(x).split(self.config.split_sizes, dim=-1)
        query = query.unflatten(-1, (self.config.num_attention_heads, self.config.head_dim))
        visible = None if attention_mask is None else attention_mask.ne(0)
        context = self.attention_interface(query, key, value, visible, self.config.scaling)
        return self.c_proj(context.flatten(-2))
