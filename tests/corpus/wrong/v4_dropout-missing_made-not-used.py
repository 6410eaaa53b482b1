# wrong: v4 dropout-missing line 21
# fair: dropout-missing 12 20 21
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        qkv = self.proj(x)
        Q, K, V = qkv.split(self.hidden_dim, dim=-1)
        scores = Q @ K.transpose(-1, -2) / self.hidden_dim ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float('-inf'))
        weights = torch.softmax(scores, dim=-1)
        return weights @ V
