# wrong: v3 mask-ignored line 22
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            print("masking", tuple(attention_mask.shape))
            torch.masked_fill(scores, attention_mask == 0, float("-inf"))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return self.output(torch.matmul(weights, v))
