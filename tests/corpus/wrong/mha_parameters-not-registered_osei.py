# wrong: mha parameters-not-registered line 11
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        d = hidden_dim // num_heads
        self.d = d
        self.qs = [nn.Linear(hidden_dim, d) for _ in range(num_heads)]
        self.ks = [nn.Linear(hidden_dim, d) for _ in range(num_heads)]
        self.vs = [nn.Linear(hidden_dim, d) for _ in range(num_heads)]
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        outs = []
        for i, (q, k, v) in enumerate(zip(self.qs, self.ks, self.vs)):
            s = q(x) @ k(x).transpose(1, 2) / self.d ** 0.5
            if mask is not None:
                m = mask[:, i] if mask.shape[1] > 1 else mask[:, 0]
                s = s.masked_fill(m == 0, float("-inf"))
            outs.append(self.dropout(s.softmax(-1)) @ v(x))
        return self.out(torch.cat(outs, -1))
