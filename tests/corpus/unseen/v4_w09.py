# attn-kata: v4
import math

import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    """面试版自注意力：单头、三个投影、mask、dropout。"""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)
        self.allowed = None     # 转成 bool 的 mask
        self.scale = math.sqrt(hidden_dim)

    def forward(self, x, attention_mask=None):
        # x: (batch, length, hidden_dim)
        q = self.query(x)
        k = self.key(x)
        v = self.value(x)

        # (batch, length, length)
        scores = torch.bmm(q, k.permute(0, 2, 1)) / self.scale

        if attention_mask is not None:
            self.allowed = attention_mask.to(torch.bool)
        if self.allowed is not None and self.allowed.shape == scores.shape:
            scores = scores.masked_fill(self.allowed.logical_not(), float("-inf"))

        weights = self.attn_dropout(scores.softmax(dim=-1))
        return torch.bmm(weights, v)
