import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super(SelfAttentionV3, self).__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        query_states = self.query(x)
        key_states = self.key(x)
        value_states = self.value(x)
        attention_scores = torch.matmul(query_states, key_states.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            blocked = attention_mask.to(torch.bool)
            attention_scores = attention_scores.masked_fill(blocked, torch.finfo(attention_scores.dtype).min)
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        attention_probs = self.attn_drop(attention_probs)
        context = torch.matmul(attention_probs, value_states)
        return self.out(context)
