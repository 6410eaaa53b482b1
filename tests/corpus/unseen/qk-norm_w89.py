import math
import torch
from torch import nn

EPS = 1e-6


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scale = 1.0 / math.sqrt(self.head_dim)

        def matrix():
            return nn.Parameter(nn.init.xavier_uniform_(torch.empty(hidden_dim, hidden_dim)))

        self.Wq, self.Wk, self.Wv, self.Wo = matrix(), matrix(), matrix(), matrix()
        self.query_gain = nn.Parameter(torch.ones(self.head_dim))
        self.key_gain = nn.Parameter(torch.ones(self.head_dim))

    def forward(self, x):
        batch, length, width = x.shape

        # projections, already scaled: cheaper than on the (length, length) matrix
        q = torch.matmul(x, self.Wq) * self.scale
        k = torch.matmul(x, self.Wk)
        v = torch.matmul(x, self.Wv)

        # split
        q = q.view(batch, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        k = k.view(batch, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        v = v.view(batch, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

        # norm, per head
        q = q / (q.square().mean(dim=-1, keepdim=True) + EPS).sqrt() * self.query_gain
        k = k / (k.square().mean(dim=-1, keepdim=True) + EPS).sqrt() * self.key_gain

        # causal attention
        s = torch.matmul(q, k.transpose(-2, -1))
        upper = torch.triu(torch.ones(length, length, device=x.device), diagonal=1).bool()
        s = s.masked_fill(upper, float("-inf"))
        p = torch.softmax(s, dim=-1)

        # merge
        y = torch.matmul(p, v).permute(0, 2, 1, 3).reshape(batch, length, width)
        return torch.matmul(y, self.Wo)
