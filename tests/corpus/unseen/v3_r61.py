# attn-kata: v3
import math
from types import SimpleNamespace

import torch
from torch import nn


class BertSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)
        self.attention_head_size = config.hidden_size

    def forward(self, hidden_states, attention_mask=None):
        query_layer = self.query(hidden_states)
        key_layer = self.key(hidden_states)
        value_layer = self.value(hidden_states)
        # Take the dot product between "query" and "key" to get the raw attention scores.
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            # Apply the attention mask (precomputed by get_extended_attention_mask)
            attention_scores = attention_scores + attention_mask
        attention_probs = nn.Softmax(dim=-1)(attention_scores)
        # This is actually dropping out entire tokens to attend to, which might
        # seem a bit unusual, but is taken from the original Transformer paper.
        attention_probs = self.dropout(attention_probs)
        context_layer = torch.matmul(attention_probs, value_layer)
        return (context_layer, attention_probs)


class BertSelfOutput(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states):
        return self.dense(hidden_states)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.config = SimpleNamespace(hidden_size=hidden_dim, attention_probs_dropout_prob=dropout)
        self.self = BertSelfAttention(self.config)
        self.output = BertSelfOutput(self.config)

    @staticmethod
    def get_extended_attention_mask(attention_mask, dtype):
        """1 = attend, 0 = ignore  ->  0.0 for attend, dtype's smallest value for ignore"""
        extended = attention_mask.to(dtype=dtype)  # fp16 compatibility
        return (1.0 - extended) * torch.finfo(dtype).min

    def forward(self, hidden_states, attention_mask=None):
        if attention_mask is not None:
            attention_mask = self.get_extended_attention_mask(attention_mask, hidden_states.dtype)
        self_outputs = self.self(hidden_states, attention_mask)
        return self.output(self_outputs[0])
