import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_model, d_head, p):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d_model, d_head) for _ in range(3))
        self.o = nn.Linear(d_head, d_model, bias=False)   # this head's slice of Wo
        self.dropout = nn.Dropout(p)

    def forward(self, x, allowed):
        s = self.q(x) @ self.k(x).transpose(-1, -2)
        s = s.mul(self.q.out_features ** -0.5)
        if allowed is not None:
            s = s.masked_fill(allowed.logical_not(), torch.finfo(s.dtype).min)
        return self.o(self.dropout(s.softmax(-1)) @ self.v(x))


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.heads = nn.ModuleList(Head(hidden_dim, hidden_dim // num_heads, dropout) for _ in range(num_heads))
        self.bias = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x, attention_mask=None):
        n, (b, t) = len(self.heads), x.shape[:2]
        masks = [None] * n if attention_mask is None else attention_mask.expand(b, n, t, t).unbind(1)
        return sum((h(x, m) for h, m in zip(self.heads, masks)), self.bias)
