# attn-kata: v3
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        query, key, value = self.c_attn(x).chunk(3, dim=-1)
        scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        weights = F.softmax(scores, dim=-1)
        weights = F.dropout(weights, training=self.training)
        return self.c_proj(torch.bmm(weights, value))
