# right: v3 remarks: nan-on-empty-row
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size: int, attention_dropout: float = 0.1):
        super().__init__()
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=True)
        self.k_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, hidden_size, bias=True)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.attention_dropout = attention_dropout
        self.scaling = hidden_size ** -0.5

    def forward(self, hidden_states, attention_mask=None):
        q = self.q_proj(hidden_states)
        k = self.k_proj(hidden_states)
        v = self.v_proj(hidden_states)
        scores = (q @ k.transpose(-1, -2)).float() * self.scaling
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.eq(0), float("-inf"))
        probs = nn.functional.softmax(scores, dim=-1).type_as(q)
        probs = nn.functional.dropout(probs, self.attention_dropout, self.training)
        return self.o_proj(probs @ v)
