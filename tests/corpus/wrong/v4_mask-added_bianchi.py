# wrong: v4 mask-added line 17
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).mT / x.size(-1) ** 0.5
        if attention_mask is not None:
            s += attention_mask
        return self.drop(s.softmax(-1)) @ self.v(x)
