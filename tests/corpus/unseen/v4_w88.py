# attn-kata: v4
import math
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.scale = 1 / math.sqrt(hidden_dim)
        self.query, self.key, self.value = (nn.Linear(hidden_dim, hidden_dim) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def attention_weights(self, x, attention_mask):
        scores = self.query(x) @ self.key(x).transpose(1, 2) * self.scale
        weights = torch.softmax(scores, dim=-1)
        if attention_mask is not None:
            weights = weights * attention_mask.to(weights.dtype)
        return weights

    def forward(self, x, attention_mask=None):
        weights = self.attention_weights(x, attention_mask)
        return self.dropout(weights) @ self.value(x)
