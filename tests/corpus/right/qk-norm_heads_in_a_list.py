# right: qk-norm
import torch
from torch import nn
from torch.nn import functional as F


class Head(nn.Module):
    def __init__(self, n_embd, head_size):
        super().__init__()
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x, q_gain, k_gain):
        d = (self.query.out_features,)
        q = F.rms_norm(self.query(x), d, q_gain, 1e-6)
        k = F.rms_norm(self.key(x), d, k_gain, 1e-6)
        wei = q @ k.transpose(-2, -1) * d[0] ** -0.5
        T = x.shape[1]
        wei = wei.masked_fill(torch.tril(torch.ones(T, T, device=x.device)) == 0, float("-inf"))
        return F.softmax(wei, dim=-1) @ self.value(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, n_embd, num_heads):
        super().__init__()
        head_size = n_embd // num_heads
        self.heads = nn.ModuleList([Head(n_embd, head_size) for _ in range(num_heads)])
        self.q_gain = nn.Parameter(torch.ones(head_size))
        self.k_gain = nn.Parameter(torch.ones(head_size))
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        return self.proj(torch.cat([h(x, self.q_gain, self.k_gain) for h in self.heads], dim=-1))
