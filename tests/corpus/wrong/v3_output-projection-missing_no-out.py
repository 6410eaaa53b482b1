# wrong: v3 output-projection-missing line 31
# fair: output-projection-missing 30 31
import math

import torch
import torch.nn as nn


class BertLikeSelfAttention(nn.Module):
    def __init__(self, hidden_size: int, attention_probs_dropout_prob: float = 0.1):
        super().__init__()
        self.hidden_size = hidden_size
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(attention_probs_dropout_prob)

    def forward(self, hidden_states, attention_mask=None):
        query_layer = self.query(hidden_states)
        key_layer = self.key(hidden_states)
        value_layer = self.value(hidden_states)

        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.hidden_size)
        if attention_mask is not None:
            extended = (1.0 - attention_mask.to(attention_scores.dtype)) * -10000.0
            attention_scores = attention_scores + extended

        attention_probs = self.dropout(attention_scores.softmax(dim=-1))
        context_layer = torch.matmul(attention_probs, value_layer)
        return context_layer
