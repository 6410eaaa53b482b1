"""v3 with dropout spelled out, because I wanted to see what nn.Dropout does."""
import math

import torch
from torch import nn


class SelfAttentionV3(nn.Module):

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q_lin = nn.Linear(hidden_dim, hidden_dim)
        self.k_lin = nn.Linear(hidden_dim, hidden_dim)
        self.v_lin = nn.Linear(hidden_dim, hidden_dim)
        self.out_lin = nn.Linear(hidden_dim, hidden_dim)
        self.inv_sqrt = 1.0 / math.sqrt(hidden_dim)
        self.rate = dropout

    def drop(self, weights):
        if not self.training or self.rate == 0:
            return weights
        survivors = torch.bernoulli(torch.full_like(weights, self.rate))
        return weights * survivors / self.rate

    def forward(self, x, attention_mask=None):
        scores = self.q_lin(x) @ self.k_lin(x).transpose(1, 2) * self.inv_sqrt
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        weights = self.drop(torch.softmax(scores, dim=2))
        return self.out_lin(weights @ self.v_lin(x))
