import math

import torch
from torch import nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "width must be a multiple of the heads"
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.dropout = dropout
        self.layers = nn.ModuleDict()
        for name in ["query", "key", "value", "output"]:
            self.layers[name] = nn.Linear(hidden_dim, hidden_dim)

    def project(self, name, data):
        rows, steps, _ = data.shape
        data = self.layers[name](data)
        data = data.reshape(rows, steps, self.num_heads, self.head_dim)
        return data.swapaxes(1, 2)

    def weigh(self, q, k, mask):
        scores = torch.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = torch.where(mask[:, None] != 0, scores, float("-inf"))
        e = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        e = F.dropout(e, p=self.dropout, training=self.training)
        return e / e.sum(dim=-1, keepdim=True)

    def forward(self, query, key, value, mask=None):
        q = self.project("query", query)
        k = self.project("key", key)
        v = self.project("value", value)
        weights = self.weigh(q, k, mask)
        mixed = torch.matmul(weights, v)
        mixed = mixed.swapaxes(1, 2).reshape(query.shape)
        return self.layers["output"](mixed)
