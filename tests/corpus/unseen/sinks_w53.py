import torch
import torch.nn as nn
import torch.nn.functional as F


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.s = nn.Parameter(torch.randn(num_heads))

    def fold(self, t):
        """(B, T, C) -> (B * heads, T, d)"""
        B, T, _ = t.shape
        return t.view(B, T, self.h, self.d).transpose(1, 2).reshape(B * self.h, T, self.d)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.fold(self.q(x)), self.fold(self.k(x)), self.fold(self.v(x))
        att = torch.bmm(q, k.transpose(1, 2))
        keep = torch.tril(torch.ones(T, T, device=x.device)).bool()
        att = att.masked_fill(~keep, torch.finfo(att.dtype).min)
        sink = self.s.repeat_interleave(B).view(B * self.h, 1, 1).expand(-1, T, 1)
        att = F.softmax(torch.cat((att, sink), dim=2) * self.d ** -0.5, dim=2)
        y = torch.bmm(att[:, :, :-1], v)
        return self.o(y.view(B, self.h, T, self.d).transpose(1, 2).reshape(B, T, C))
