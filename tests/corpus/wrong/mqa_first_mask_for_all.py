# wrong: mqa batch-mixed line 28
import math

import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_layers = nn.ModuleList([nn.Linear(hidden_dim, self.head_dim) for _ in range(num_heads)])
        self.k_layer = nn.Linear(hidden_dim, self.head_dim)
        self.v_layer = nn.Linear(hidden_dim, self.head_dim)
        self.out_layer = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, n, _ = x.shape
        k = self.k_layer(x)
        v = self.v_layer(x)
        if attention_mask is not None:
            attention_mask = torch.broadcast_to(attention_mask, (b, self.num_heads, n, n))
        heads = []
        for i, layer in enumerate(self.q_layers):
            scores = layer(x) @ k.transpose(1, 2) / math.sqrt(self.head_dim)
            if attention_mask is not None:
                scores = scores.masked_fill(attention_mask[0, i] == 0, float("-inf"))
            heads.append(scores.softmax(dim=-1) @ v)
        return self.out_layer(torch.cat(heads, dim=-1))
