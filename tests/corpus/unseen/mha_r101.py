import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        width = hidden_dim // num_heads

        def per_head():
            return nn.ParameterList(
                nn.Parameter(torch.randn(hidden_dim, width) / math.sqrt(hidden_dim)) for _ in range(num_heads)
            )

        self.queries, self.keys, self.values = per_head(), per_head(), per_head()
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.rate = dropout
        self.width = width

    def forward(self, x, attention_mask=None):
        batch, length, _ = x.shape
        heads = len(self.queries)
        if attention_mask is not None:
            attention_mask = (attention_mask != 0).expand(batch, heads, length, length)
        contexts = []
        for h, (wq, wk, wv) in enumerate(zip(self.queries, self.keys, self.values)):
            scores = (x @ wq) @ (x @ wk).mT / math.sqrt(self.width)
            if attention_mask is not None:
                scores = scores.masked_fill(~attention_mask[:, h], torch.finfo(scores.dtype).min)
            weights = F.dropout(scores.softmax(dim=-1), self.rate, self.training)
            contexts.append(weights @ (x @ wv))
        return self.out(torch.cat(contexts, dim=-1))
