# wrong: mha heads-share-projection line 20
import math
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        d = hidden_dim // num_heads
        self.q = nn.ModuleList(nn.Linear(hidden_dim, d) for _ in range(num_heads))
        self.k = nn.ModuleList(nn.Linear(hidden_dim, d) for _ in range(num_heads))
        self.v = nn.ModuleList(nn.Linear(hidden_dim, d) for _ in range(num_heads))
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.d = d

    def forward(self, x, attention_mask=None):
        ask = []
        for layer in self.q:
            def project(y):
                return layer(y)
            ask.append(project)
        q = torch.stack([f(x) for f in ask], 1)
        k = torch.stack([f(x) for f in self.k], 1)
        v = torch.stack([f(x) for f in self.v], 1)
        s = q @ k.mT / math.sqrt(self.d)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -1e9)
        y = self.drop(s.softmax(-1)) @ v
        return self.o(y.transpose(1, 2).flatten(2))
