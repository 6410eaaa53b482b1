import math

import torch
from torch import nn


class BertSelfAttention(nn.Module):
    def __init__(self, hidden_size, attention_probs_dropout_prob):
        super().__init__()
        self.hidden_size = hidden_size
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(attention_probs_dropout_prob)

    def forward(self, hidden_states, extended_attention_mask=None, output_attentions=False):
        query_layer = self.query(hidden_states)
        key_layer = self.key(hidden_states)
        value_layer = self.value(hidden_states)

        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.hidden_size)
        if extended_attention_mask is not None:
            attention_scores = attention_scores + extended_attention_mask
            # the sum must not leave the range of half precision (as OPT does it)
            lowest = torch.finfo(attention_scores.dtype).min
            attention_scores = torch.max(
                attention_scores, torch.tensor(lowest, dtype=attention_scores.dtype, device=attention_scores.device)
            )
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        dropped_probs = self.dropout(attention_probs)
        context_layer = torch.matmul(dropped_probs, value_layer)
        return (context_layer, attention_probs) if output_attentions else (context_layer,)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.self = BertSelfAttention(hidden_dim, dropout)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    @staticmethod
    def get_extended_attention_mask(attention_mask, dtype):
        # 1 keeps, 0 hides -> 0.0 keeps, a very low number hides
        extended = attention_mask.to(dtype=dtype)
        return (1.0 - extended) * torch.finfo(dtype).min

    def forward(self, x, attention_mask=None):
        extended = None
        if attention_mask is not None:
            extended = self.get_extended_attention_mask(attention_mask, x.dtype)
        self_outputs = self.self(x, extended)
        return self.output(self_outputs[0])
