import torch
import torch.nn as nn
import torch.nn.functional as F


class Sink(nn.Module):
    """Adds a column for each head before the softmax, and takes it away afterwards."""

    def __init__(self, n_heads):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(n_heads))

    def attach(self, s):
        col = self.bias[None, :, None, None].expand(s.size(0), -1, s.size(2), 1)
        return torch.cat((col, s), dim=3)

    def detach_from(self, w):
        return w.narrow(3, 0, w.size(3) - 1)

    def forward(self, s):
        return self.detach_from(F.softmax(self.attach(s), dim=3))


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.w = nn.ParameterDict({n: nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim ** .5) for n in 'qkvo'})
        self.sink = Sink(num_heads)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = [(x @ self.w[n]).view(B, T, self.h, C // self.h).permute(0, 2, 1, 3) for n in 'qkv']
        s = (q @ k.transpose(2, 3)) * (C // self.h) ** -0.5
        t = torch.arange(T, device=x.device)
        s = s.masked_fill(t[None, :] > t[:, None], float('-inf'))
        y = self.sink(s) @ v
        return y.permute(0, 2, 1, 3).reshape(B, T, C) @ self.w['o']
