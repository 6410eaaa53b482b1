# wrong: block gelu-approximate line 9
import math

import torch
from torch import nn


def gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


def split_states(x, n):
    """Reshape the last dimension of x into [n, x.shape[-1]/n]."""
    *start, m = x.shape
    return x.reshape(*start, n, m // n)


def merge_states(x):
    """Smash the last two dimensions of x into a single dimension."""
    *start, a, b = x.shape
    return x.reshape(*start, a * b)


class conv1d(nn.Module):
    def __init__(self, nx, nf, w_init_stdev=0.02):
        super().__init__()
        self.w = nn.Parameter(torch.randn(nx, nf) * w_init_stdev)
        self.b = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        return torch.matmul(x, self.w) + self.b


class norm(nn.Module):
    def __init__(self, n_state):
        super().__init__()
        self.g = nn.Parameter(torch.ones(n_state))
        self.b = nn.Parameter(torch.zeros(n_state))

    def forward(self, x, epsilon=1e-5):
        u = x.mean(-1, keepdim=True)
        s = (x - u).square().mean(-1, keepdim=True)
        x = (x - u) * torch.rsqrt(s + epsilon)
        return x * self.g + self.b


def attention_mask(nd, ns, device):
    i = torch.arange(nd, device=device)[:, None]
    j = torch.arange(ns, device=device)
    return i >= j - ns + nd


class attn(nn.Module):
    def __init__(self, n_state, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_attn = conv1d(n_state, n_state * 3)
        self.c_proj = conv1d(n_state, n_state)

    def forward(self, x):
        q, k, v = (split_states(t, self.n_head).transpose(1, 2) for t in self.c_attn(x).chunk(3, dim=2))
        w = torch.matmul(q, k.transpose(-2, -1)) * v.shape[-1] ** -0.5
        w = w.masked_fill(~attention_mask(w.shape[-2], w.shape[-1], w.device), float("-inf"))
        w = torch.softmax(w, -1)
        return self.c_proj(merge_states(torch.matmul(w, v).transpose(1, 2)))


class mlp(nn.Module):
    def __init__(self, n_state):
        super().__init__()
        self.c_fc = conv1d(n_state, 4 * n_state)
        self.c_proj = conv1d(4 * n_state, n_state)

    def forward(self, x):
        return self.c_proj(gelu(self.c_fc(x)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.ln_1 = norm(hidden_dim)
        self.attn = attn(hidden_dim, num_heads)
        self.ln_2 = norm(hidden_dim)
        self.mlp = mlp(hidden_dim)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x
