from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class AttentionConfig:
    hidden_size: int
    attention_probs_dropout_prob: float = 0.1


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.config = AttentionConfig(hidden_dim, dropout)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(self.config.attention_probs_dropout_prob)

    def _extended_mask(self, attention_mask: Tensor, dtype: torch.dtype) -> Tensor:
        bias = torch.zeros(attention_mask.shape, dtype=dtype, device=attention_mask.device)
        bias.masked_fill(attention_mask == 0, torch.finfo(dtype).min)
        return bias

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query_states = self.query(hidden_states)
        key_states = self.key(hidden_states)
        value_states = self.value(hidden_states)

        attention_scores = torch.matmul(query_states, key_states.transpose(-1, -2))
        attention_scores = attention_scores / (self.config.hidden_size ** 0.5)
        if attention_mask is not None:
            attention_scores = attention_scores + self._extended_mask(attention_mask, attention_scores.dtype)
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        attention_probs = self.dropout(attention_probs)
        return self.dense(torch.matmul(attention_probs, value_states))
