# wrong: mha detached line 22
# fair: detached 22 23
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.q_lin = nn.Linear(hidden_dim, hidden_dim)
        self.k_lin = nn.Linear(hidden_dim, hidden_dim)
        self.v_lin = nn.Linear(hidden_dim, hidden_dim)
        self.out_lin = nn.Linear(hidden_dim, hidden_dim)

    def shape(self, x):
        bs = x.size(0)
        return x.view(bs, -1, self.h, x.size(-1) // self.h).transpose(1, 2)

    def forward(self, x, mask=None):
        q = self.shape(self.q_lin(x))
        with torch.no_grad():
            k = self.shape(self.k_lin(x))
        v = self.shape(self.v_lin(x))
        q = q / q.size(-1) ** 0.5
        scores = torch.matmul(q, k.transpose(2, 3))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -float("inf"))
        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, v)
        context = context.transpose(1, 2).contiguous().view(x.size(0), -1, x.size(-1))
        return self.out_lin(context)
