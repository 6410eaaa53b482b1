import torch
from torch import nn


class Head(nn.Module):
    """One head; the two norms belong to all heads and are handed in."""

    def __init__(self, c, d):
        super().__init__()
        self.key = nn.Linear(c, d, bias=False)
        self.query = nn.Linear(c, d, bias=False)
        self.value = nn.Linear(c, d, bias=False)

    def forward(self, x, norm_q, norm_k):
        T = x.shape[1]
        q, k = norm_q(self.query(x)), norm_k(self.key(x))
        wei = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5  # (B, T, T)
        tril = torch.tril(torch.ones(T, T, device=x.device))
        wei = wei.masked_fill(tril == 0, float('-inf')).softmax(dim=-1)
        return wei @ self.value(x)


class QKNormAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        head_size = hidden_dim // num_heads
        self.heads = nn.ModuleList([Head(hidden_dim, head_size) for _ in range(num_heads)])
        self.norm_q = nn.RMSNorm(head_size, eps=1e-6)
        self.norm_k = nn.RMSNorm(head_size, eps=1e-6)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        return self.proj(torch.cat([h(x, self.norm_q, self.norm_k) for h in self.heads], dim=-1))
