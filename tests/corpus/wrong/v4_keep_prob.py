# wrong: v4 dropout-rate-wrong line 12
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(1.0 - dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)
        a = q.matmul(k.mT).div(q.shape[-1] ** 0.5)
        if attention_mask is not None:
            a.masked_fill_(attention_mask == 0, -torch.inf)
        return self.drop(a.softmax(-1)).matmul(v)
