from torch import *
from torch import nn
import math


class Projection(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(randn(n, n) / math.sqrt(n))
        self.bias = nn.Parameter(zeros(n))

    def forward(self, inp):
        return nn.functional.linear(inp, self.weight, self.bias)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        for role in ("query", "key", "value"):
            setattr(self, role, Projection(hidden_dim))
        self.p = dropout
        self.scale = math.sqrt(hidden_dim)

    def forward(self, x, attention_mask=None):
        Q, K, V = (getattr(self, r)(x) for r in ("query", "key", "value"))
        S = (K @ Q.transpose(1, 2) / self.scale).transpose(1, 2)     # (B, key, query) -> (B, query, key)
        if attention_mask is not None:
            hide = zeros_like(S).masked_fill(attention_mask == 0, -inf)
            S = S + hide
        P = nn.functional.dropout(softmax(S, -1), self.p, self.training)
        return bmm(P, V)


if __name__ == "__main__":
    m = SelfAttentionV4(8)
    print(m(randn(2, 5, 8)).shape)
