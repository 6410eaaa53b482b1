# attn-kata: v1
import math

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        Q, K, V = self.query(x), self.key(x), self.value(x)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        attention = F.softmax(scores, dim=1)
        return torch.bmm(attention, V)
