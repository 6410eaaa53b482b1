# wrong: v2 scale-after-softmax line 16
import torch
import torch.nn as nn
import math

class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.lin = nn.Linear(hidden_dim, hidden_dim * 3)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = torch.split(self.lin(x), self.hidden_dim, dim=-1)
        att = torch.softmax(q @ k.transpose(-1, -2), dim=-1)
        att = att / math.sqrt(self.hidden_dim)
        return self.o(att @ v)
