from functools import partial

import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        square = partial(nn.Linear, hidden_dim, hidden_dim)
        self.query, self.key, self.value = square(), square(), square()
        self.output = square(bias=False)
        self.dropout = nn.Dropout(p=dropout)

    def masked(self, scores, attention_mask):
        if attention_mask is None:
            return scores
        # one flag per key, broadcast over the queries
        visible = attention_mask.bool().any(dim=1, keepdim=True)
        return scores.masked_fill(visible.logical_not(), torch.finfo(scores.dtype).min)

    def forward(self, x, attention_mask=None):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q.matmul(k.mT).mul(q.size(-1) ** -0.5)
        weights = self.masked(scores, attention_mask).softmax(dim=-1)
        return self.output(self.dropout(weights).matmul(v))
