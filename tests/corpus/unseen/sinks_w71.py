import torch, torch.nn as nn
from torch.nn.functional import linear


class SinkAttention(nn.Module):
    def __init__(s, hidden_dim, num_heads):
        super().__init__()
        s.H = num_heads
        s.w = nn.Parameter(torch.empty(4, hidden_dim, hidden_dim))
        nn.init.normal_(s.w, std=hidden_dim ** -.5)
        s.sink = nn.Parameter(torch.zeros(1, num_heads, 1, 1))

    def forward(s, x):
        B, T, C = x.shape
        q, k, v = (linear(x, w).view(B, T, s.H, -1).transpose(1, 2) for w in s.w[:3])
        a = q @ k.mT / q.shape[-1] ** .5
        a = torch.cat((a, s.sink.expand(B, -1, T, 1)), -1)
        a = a.masked_fill(a.new_ones(T, T + 1).tril() == 0, -torch.inf)
        y = a.softmax(-1)[..., :T] @ v
        return linear(y.transpose(1, 2).reshape(B, T, C), s.w[3])
