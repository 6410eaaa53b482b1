# wrong: v3 dropout-before-softmax line 19
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.kqv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.last = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        k, q, v = self.kqv(x).chunk(3, dim=-1)
        scores = q.matmul(k.transpose(1, 2)).div(k.size(2) ** 0.5)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.eq(0), -1e9)
        scores = self.attn_dropout(scores)
        weights = scores.softmax(2)
        return self.last(weights.matmul(v))
