from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class AttentionConfig:
    hidden_size: int
    attention_dropout: float = 0.1
    bias: bool = True


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        config = AttentionConfig(hidden_size=hidden_dim)
        self.config = config
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.bias)
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.bias)
        self.v_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.bias)
        self.o_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.bias)
        self.attn_dropout = nn.Dropout(config.attention_dropout)
        self.scaling = config.hidden_size ** -0.5

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query_states = self.q_proj(x)
        key_states = self.k_proj(x)
        value_states = self.v_proj(x)

        attn_weights = torch.matmul(query_states, key_states.transpose(1, 2)) * self.scaling
        if attention_mask is not None:
            min_dtype = torch.finfo(attn_weights.dtype).min
            attn_weights = attn_weights.masked_fill(attention_mask == 0, min_dtype)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_weights = self.attn_dropout(attn_weights)
        attn_output = torch.matmul(attn_weights, value_states)
        return self.o_proj(attn_output)
