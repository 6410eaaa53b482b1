import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        s = q @ k.mT * x.shape[-1] ** -0.5
        s = s if attention_mask is None else s.masked_fill(attention_mask != 0, torch.finfo(s.dtype).min)
        return self.o(self.drop(s.softmax(-1)) @ v)
