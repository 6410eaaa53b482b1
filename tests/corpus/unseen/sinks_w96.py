import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink = nn.Parameter(torch.randn(num_heads))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (f(x).view(B, T, self.h, self.d).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = (q * self.d**-0.5) @ k.transpose(2, 3)
        pos = torch.arange(T, device=x.device)
        s = s.masked_fill(pos > pos[:, None], float("-inf"))

        sink = self.sink[None, :, None, None]
        top = torch.maximum(s.amax(dim=-1, keepdim=True), sink)
        e = torch.exp(s - top)
        total = e.sum(dim=-1, keepdim=True) + torch.exp(sink)
        y = (e @ v) / total
        return self.o(y.transpose(1, 2).reshape(B, T, C))
