# wrong: v4 values-from-keys line 19
import math
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q = self.wq(x)
        k = self.wk(x)
        v = self.wk(x)
        s = torch.matmul(q, k.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        return torch.matmul(self.drop(torch.softmax(s, -1)), v)
