from __future__ import annotations

from typing import Optional

import torch
from torch import nn


class SelfAttentionConfig:
    def __init__(self, hidden_size: int, attention_probs_dropout_prob: float, attention_bias: bool = True):
        self.hidden_size = hidden_size
        self.attention_probs_dropout_prob = attention_probs_dropout_prob
        self.attention_bias = attention_bias


def eager_attention_forward(module, query, key, value, attention_mask, scaling, dropout):
    attn_weights = torch.matmul(query, key.transpose(1, 2)) * scaling
    if attention_mask is not None:
        blocked = attention_mask == 0
        attn_weights = attn_weights.masked_fill(blocked, torch.finfo(attn_weights.dtype).min)
    attn_weights = nn.functional.softmax(attn_weights, dim=-1)
    attn_weights = nn.functional.dropout(attn_weights, p=dropout, training=module.training)
    attn_weights = attn_weights / attn_weights.sum(dim=-1, keepdim=True).clamp_min(1e-6)
    return torch.matmul(attn_weights, value)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        config = SelfAttentionConfig(hidden_dim, dropout)
        self.config = config
        self.scaling = config.hidden_size**-0.5
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.attention_bias)
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.attention_bias)
        self.v_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.attention_bias)
        self.o_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.attention_bias)

    def forward(self, x: torch.Tensor, attention_mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        query_states = self.q_proj(x)
        key_states = self.k_proj(x)
        value_states = self.v_proj(x)
        attn_output = eager_attention_forward(
            self,
            query_states,
            key_states,
            value_states,
            attention_mask,
            scaling=self.scaling,
            dropout=self.config.attention_probs_dropout_prob,
        )
        return self.o_proj(attn_output)
