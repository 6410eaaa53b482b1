import math

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    """单头自注意力"""

    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.softmax = nn.Softmax()

    def forward(self, x):
        Q, K, V = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        scores = torch.bmm(Q, K.permute(0, 2, 1)) / math.sqrt(self.hidden_dim)
        return torch.bmm(self.softmax(scores), V)
