import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    class Head(nn.Module):
        def __init__(self, d_model, d_head, p):
            super().__init__()
            self.q = nn.Linear(d_model, d_head)
            self.k = nn.Linear(d_model, d_head)
            self.v = nn.Linear(d_model, d_head)
            self.p = nn.Dropout(p)
            self.d_head = d_head

        def forward(self, x, mask):
            a = self.q(x) @ self.k(x).mT / self.d_head ** 0.5
            if mask is not None:
                a = a.masked_fill(mask == 0, -1e4 if a.dtype is torch.float16 else -1e9)
            return self.p(a.softmax(-1)) @ self.v(x)

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        d = hidden_dim // num_heads
        self.heads = nn.ModuleList(self.Head(hidden_dim, d, dropout) for _ in range(num_heads))
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        # a head works on (batch, length, length), so the axis of heads has to go
        mask = None if attention_mask is None else attention_mask[:, 0]
        outs = [head(x, mask) for head in self.heads]
        return self.wo(torch.cat(outs, dim=-1))
