# wrong: v3 mask-fill-small line 7
import math

import torch
import torch.nn as nn

NEG_INF = -10.0


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.proj_in = nn.Linear(hidden_dim, hidden_dim * 3)
        self.proj_out = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.proj_in(x).split(self.hidden_dim, dim=-1)
        score = q @ k.transpose(1, 2)
        score = score / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            score = score.masked_fill(attention_mask == 0, NEG_INF)
        prob = self.attn_dropout(score.softmax(dim=-1))
        return self.proj_out(prob @ v)
