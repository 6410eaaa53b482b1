from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class AttnConfig:
    hidden_size: int
    attention_probs_dropout_prob: float = 0.1
    qkv_bias: bool = True


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.config = AttnConfig(hidden_size=hidden_dim, attention_probs_dropout_prob=dropout)
        size, bias = self.config.hidden_size, self.config.qkv_bias
        self.query = nn.Linear(size, size, bias=bias)
        self.key = nn.Linear(size, size, bias=bias)
        self.value = nn.Linear(size, size, bias=bias)
        self.dense = nn.Linear(size, size)
        self.dropout = nn.Dropout(self.config.attention_probs_dropout_prob)
        self.scaling = size ** -0.5

    def forward(self, x, attention_mask=None):
        hidden_states = x
        attention_scores = torch.matmul(
            self.query(hidden_states), self.key(hidden_states).transpose(-1, -2)
        ) * self.scaling
        if attention_mask is not None:
            lowest = torch.finfo(attention_scores.dtype).min
            attention_scores = torch.where(attention_mask != 0, attention_scores, lowest)
        attention_probs = nn.functional.softmax(attention_scores, dim=-1, dtype=torch.promote_types(torch.float32, hidden_states.dtype))
        attention_probs = self.dropout(attention_probs.to(hidden_states.dtype))
        return self.dense(torch.matmul(attention_probs, self.value(hidden_states)))
