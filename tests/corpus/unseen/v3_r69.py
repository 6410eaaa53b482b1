"""BERT-like: BertSelfAttention + BertSelfOutput, one head, without the residual and LayerNorm."""
from dataclasses import dataclass, field
from typing import Optional

import torch
from torch import nn


@dataclass(frozen=True)
class BertConfig:
    hidden_size: int = 768
    attention_probs_dropout_prob: float = 0.1
    initializer_range: float = 0.02
    extras: dict = field(default_factory=dict)


class BertSelfAttention(nn.Module):
    def __init__(self, config: BertConfig):
        super().__init__()
        self.attention_head_size = config.hidden_size
        self.query = nn.Linear(config.hidden_size, self.attention_head_size)
        self.key = nn.Linear(config.hidden_size, self.attention_head_size)
        self.value = nn.Linear(config.hidden_size, self.attention_head_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def forward(self, hidden_states, extended_attention_mask=None):
        query_layer = self.query(hidden_states)
        key_layer = self.key(hidden_states)
        value_layer = self.value(hidden_states)
        scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        scores = scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores
        scores = scores / self.attention_head_size**0.5
        if extended_attention_mask is not None:
            scores = scores + extended_attention_mask.to(scores.dtype)
        probs = nn.functional.softmax(scores, dim=-1).to(value_layer.dtype)
        return torch.matmul(self.dropout(probs), value_layer)


class BertSelfOutput(nn.Module):
    def __init__(self, config: BertConfig):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states):
        return self.dense(hidden_states)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_size: int, attention_probs_dropout_prob: float = 0.1, **extras):
        super().__init__()
        config = BertConfig(hidden_size, attention_probs_dropout_prob, extras=extras)
        self.self = BertSelfAttention(config)
        self.output = BertSelfOutput(config)

    @staticmethod
    def get_extended_attention_mask(mask: torch.Tensor) -> torch.Tensor:
        return (1.0 - mask.to(torch.float32)) * -1e30

    def forward(self, hidden_states, attention_mask: Optional[torch.Tensor] = None, head_mask=None):
        extended = None
        if attention_mask is not None:
            extended = self.get_extended_attention_mask(attention_mask)
        return self.output(self.self(hidden_states, extended))
