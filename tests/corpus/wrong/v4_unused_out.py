# wrong: v4 projection-unused line 14
import numpy as np
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q_linear = nn.Linear(hidden_dim, hidden_dim)
        self.k_linear = nn.Linear(hidden_dim, hidden_dim)
        self.v_linear = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.out_linear = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.q_linear(x), self.k_linear(x), self.v_linear(x)
        scores = torch.matmul(q, k.transpose(1, 2)) / np.sqrt(q.shape[-1])
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -1e9)
        out = torch.matmul(self.dropout(torch.softmax(scores, dim=-1)), v)
        return out
