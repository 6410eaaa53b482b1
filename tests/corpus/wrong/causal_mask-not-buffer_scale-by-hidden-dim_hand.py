# wrong: causal mask-not-buffer line 14, scale-by-hidden-dim line 19
import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.n_embd = n_embd
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.future = torch.triu(torch.ones(block_size, block_size, dtype=torch.bool), diagonal=1)

    def forward(self, x):
        T, C = x.shape[1:]
        q, k, v = self.query(x), self.key(x), self.value(x)
        wei = q @ k.transpose(-2, -1) * C ** -0.5
        wei = wei.masked_fill(self.future[:T, :T], float("-inf"))
        return F.softmax(wei, dim=-1) @ v


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.heads = nn.ModuleList(Head(hidden_dim, hidden_dim // num_heads, block_size) for _ in range(num_heads))
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))
