# attn-kata: mha
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn


@dataclass
class AttentionConfig:
    hidden_size: int
    num_attention_heads: int
    attention_probs_dropout_prob: float = 0.1
    attention_bias: bool = True

    def __post_init__(self):
        if self.hidden_size % self.num_attention_heads != 0:
            raise ValueError(
                f"`hidden_size` ({self.hidden_size}) must be divisible by "
                f"`num_attention_heads` ({self.num_attention_heads})."
            )

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.config = AttentionConfig(
            hidden_size=hidden_dim, num_attention_heads=num_heads, attention_probs_dropout_prob=dropout
        )
        bias = self.config.attention_bias
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)

    def transpose_for_scores(self, states: torch.Tensor) -> torch.Tensor:
        new_shape = states.shape[:-1] + (self.config.num_attention_heads, self.config.head_dim)
        return states.view(new_shape).permute(0, 2, 1, 3)

    def forward(self, x: torch.Tensor, attention_mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        query_states = self.transpose_for_scores(self.q_proj(x))
        key_states = self.transpose_for_scores(self.k_proj(x))
        value_states = self.transpose_for_scores(self.v_proj(x))

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) / math.sqrt(self.config.head_dim)
        if attention_mask is not None:
            hidden = attention_mask.to(device=attn_weights.device) == 0
            attn_weights = attn_weights.masked_fill(hidden, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_weights = nn.functional.dropout(
            attn_weights, p=self.config.attention_probs_dropout_prob, training=self.training
        )
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).contiguous().reshape(*x.shape)
        return self.o_proj(attn_output)
