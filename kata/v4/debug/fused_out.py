import math

import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, dim, dropout_rate=0.1):
        super().__init__()
        self.dim = dim
        self.proj = nn.Linear(dim, dim * 3)
        self.attention_dropout = nn.Dropout(dropout_rate)
        self.output_proj = nn.Linear(dim, dim)

    def forward(self, X, attention_mask=None):
        # X: batch, seq, dim
        Q, K, V = torch.split(self.proj(X), self.dim, dim=-1)
        att = torch.matmul(Q, K.transpose(-1, -2)) / math.sqrt(self.dim)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float("-inf"))
        att = self.attention_dropout(torch.softmax(att, dim=-1))
        return self.output_proj(att @ V)
