# right: v3
import math

import torch
import torch.nn as nn


class BertishSelfAttention(nn.Module):
    """one head; mask becomes an additive penalty of -10000 like in the old days"""

    def __init__(self, hidden_size, attention_probs_dropout_prob=0.1):
        super().__init__()
        self.hidden_size = hidden_size
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(attention_probs_dropout_prob)
        self.dense = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states, attention_mask=None):
        mixed_query_layer = self.query(hidden_states)
        mixed_key_layer = self.key(hidden_states)
        mixed_value_layer = self.value(hidden_states)

        attention_scores = torch.matmul(mixed_query_layer, mixed_key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.hidden_size)
        if attention_mask is not None:
            extended = attention_mask.to(dtype=attention_scores.dtype)
            attention_scores = attention_scores + (1.0 - extended) * -10000.0

        attention_probs = nn.Softmax(dim=-1)(attention_scores)
        attention_probs = self.dropout(attention_probs)
        return self.dense(torch.matmul(attention_probs, mixed_value_layer))
