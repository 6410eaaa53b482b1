# wrong: mha heads-merge-wrong-axes line 19
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.0):
        super().__init__()
        self.h = num_heads
        self.lin = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim) for _ in range(4)])

    def forward(self, x, attention_mask=None):
        B, T, D = x.size()
        q, k, v = [l(x).view(B, T, self.h, D // self.h).transpose(1, 2) for l in self.lin[:3]]
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) * (D // self.h) ** -0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        o = torch.einsum("bhqk,bhkd->bhqd", s.softmax(-1), v)
        o = o.transpose(2, 3).reshape(B, T, D)
        return self.lin[3](o)
