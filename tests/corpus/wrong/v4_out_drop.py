# wrong: v4 dropout-on-output line 19
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        Q, K, V = torch.split(self.proj(x), self.hidden_dim, dim=-1)
        weight = Q @ K.transpose(1, 2) / self.hidden_dim ** 0.5
        if attention_mask is not None:
            weight = weight.masked_fill(attention_mask == 0, float("-1e20"))
        weight = torch.softmax(weight, dim=-1)
        return self.dropout(weight @ V)
