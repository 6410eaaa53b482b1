# attn-kata: causal
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import torch
from torch import Tensor, nn


@dataclass
class CausalAttentionConfig:
    hidden_size: int
    num_attention_heads: int
    max_position_embeddings: int
    attention_dropout: float = 0.1
    attn_implementation: str = "eager"


def eager_attention_forward(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor,
    scaling: float,
    dropout: float = 0.0,
) -> tuple[Tensor, Tensor]:
    attn_weights = torch.matmul(query, key.transpose(2, 3)) * scaling
    attn_weights = attn_weights.masked_fill(attention_mask.logical_not(), float("-inf"))
    attn_weights = nn.functional.softmax(attn_weights, dim=-1)
    attn_weights = nn.functional.dropout(attn_weights, p=dropout)
    attn_output = torch.matmul(attn_weights, value)
    return attn_output.transpose(1, 2).contiguous(), attn_weights


ALL_ATTENTION_FUNCTIONS: dict[str, Callable[..., tuple[Tensor, Tensor]]] = {
    "eager": eager_attention_forward,
}


class CausalSelfAttention(nn.Module):
    """Multi-headed attention, after the layout of the modeling files in transformers."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.config = CausalAttentionConfig(hidden_dim, num_heads, block_size)
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim**-0.5
        self.attention_dropout = self.config.attention_dropout
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_buffer(
            "causal_mask", torch.ones(block_size, block_size, dtype=torch.bool).tril(), persistent=False
        )

    def forward(self, x: Tensor) -> Tensor:
        input_shape = x.shape[:-1]
        hidden_shape = (*input_shape, -1, self.head_dim)

        query_states = self.q_proj(x).view(hidden_shape).transpose(1, 2)
        key_states = self.k_proj(x).view(hidden_shape).transpose(1, 2)
        value_states = self.v_proj(x).view(hidden_shape).transpose(1, 2)

        attention_interface = ALL_ATTENTION_FUNCTIONS[self.config.attn_implementation]
        attn_output, _ = attention_interface(
            self,
            query_states,
            key_states,
            value_states,
            attention_mask=self.causal_mask[: x.size(1), : x.size(1)],
            scaling=self.scaling,
            dropout=self.attention_dropout,
        )
        return self.o_proj(attn_output.reshape(*input_shape, -1))
