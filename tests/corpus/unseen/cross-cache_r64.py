from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

import torch
from torch import Tensor, nn


@dataclass
class CrossAttentionConfig:
    hidden_size: int
    num_attention_heads: int
    attention_bias: bool = True
    head_dim: int = field(init=False)

    def __post_init__(self) -> None:
        if self.hidden_size % self.num_attention_heads:
            raise ValueError(f"{self.hidden_size} is not a multiple of {self.num_attention_heads}")
        self.head_dim = self.hidden_size // self.num_attention_heads


@dataclass(frozen=True)
class EncoderStates:
    """What a decoder layer keeps of the encoder: (batch, heads, source, head_dim) twice, and a bias."""

    key_states: Tensor
    value_states: Tensor
    bias: Tensor


def lengths_to_bias(lengths: Tensor, max_length: int, dtype: torch.dtype) -> Tensor:
    slots = torch.arange(max_length, device=lengths.device)
    bias = torch.zeros(lengths.shape[0], max_length, dtype=dtype, device=lengths.device)
    return bias.masked_fill_(slots >= lengths[:, None], torch.finfo(dtype).min)[:, None, None]


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.config = config = CrossAttentionConfig(hidden_dim, num_heads)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=config.attention_bias)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=config.attention_bias)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=config.attention_bias)

    def _shape(self, states: Tensor) -> Tensor:
        return states.view(*states.shape[:2], -1, self.config.head_dim).transpose(1, 2)

    def encode(self, memory: Tensor, memory_lengths: Tensor) -> EncoderStates:
        return EncoderStates(
            key_states=self._shape(self.k_proj(memory)),
            value_states=self._shape(self.v_proj(memory)),
            bias=lengths_to_bias(memory_lengths.to(memory.device), memory.shape[1], memory.dtype),
        )

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        memory_lengths: Tensor,
        cache: Optional[EncoderStates] = None,
    ) -> tuple[Tensor, EncoderStates]:
        if cache is None:
            cache = self.encode(memory, memory_lengths)
        query_states = self._shape(self.q_proj(x)) * self.config.head_dim**-0.5
        scores = query_states @ cache.key_states.transpose(-1, -2) + cache.bias
        probs = nn.functional.softmax(scores, dim=-1, dtype=torch.promote_types(x.dtype, torch.float32))
        context = probs.to(x.dtype) @ cache.value_states
        return self.out_proj(context.transpose(1, 2).flatten(2)), cache
