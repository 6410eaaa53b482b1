# attn-kata: qk-norm
import math
import torch
import torch.nn as nn


def rms(u, gain, eps=1e-6):
    root = u.pow(2).mean(dim=-1, keepdim=True).sqrt()
    return u / (root + eps) * gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.output = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.query_gain = nn.Parameter(torch.ones(self.head_dim))
        self.key_gain = nn.Parameter(torch.ones(self.head_dim))

    def forward(self, x):
        b, n, c = x.shape
        def split(t):
            return t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        q = rms(split(self.query(x)), self.query_gain)
        k = rms(split(self.key(x)), self.key_gain)
        v = split(self.value(x))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        causal = torch.tril(torch.ones(n, n, device=x.device))
        scores = scores.masked_fill(causal == 0, float("-inf"))
        out = torch.softmax(scores, dim=-1) @ v
        return self.output(out.transpose(1, 2).reshape(b, n, c))
