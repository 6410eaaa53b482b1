"""T5 naming (q, k, v, o), mask turned into a bias that is added to the scores."""
from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn


class T5Config(NamedTuple):
    d_model: int
    dropout_rate: float = 0.1

    @classmethod
    def single_head(cls, d_model: int, dropout_rate: float) -> "T5Config":
        return cls(d_model=d_model, dropout_rate=dropout_rate)


class T5Attention(nn.Module):
    def __init__(self, config: T5Config):
        super().__init__()
        self.key_value_proj_dim = config.d_model
        self.dropout = config.dropout_rate
        self.q = nn.Linear(config.d_model, config.d_model, bias=False)
        self.k = nn.Linear(config.d_model, config.d_model, bias=False)
        self.v = nn.Linear(config.d_model, config.d_model, bias=False)
        self.o = nn.Linear(config.d_model, config.d_model, bias=False)

    def compute_bias(self, mask: Tensor) -> Tensor:
        # log 1 = 0 changes nothing, log 0 = -inf removes the key
        return mask.to(torch.float32).log()

    def forward(self, hidden_states: Tensor, mask: Tensor | None = None) -> Tensor:
        query_states = self.q(hidden_states)
        key_states = self.k(hidden_states)
        value_states = self.v(hidden_states)

        scores = query_states @ key_states.transpose(1, 2) * (1.0 / math.sqrt(self.key_value_proj_dim))
        if mask is not None:
            scores = scores + self.compute_bias(mask)
            empty = torch.isneginf(scores).all(dim=-1, keepdim=True)
            scores = scores.masked_fill(empty, 0.0)
        attn_weights = torch.softmax(scores.to(torch.promote_types(scores.dtype, torch.float)), -1)
        attn_weights = attn_weights.type_as(value_states)
        attn_weights = nn.functional.dropout(attn_weights, p=self.dropout, training=self.training)
        return self.o(attn_weights @ value_states)


class SelfAttentionV4(T5Attention):
    def __init__(self, d_model: int, dropout_rate: float = 0.1):
        super().__init__(T5Config.single_head(d_model, dropout_rate))
