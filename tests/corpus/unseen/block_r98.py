import math

import torch
import torch.nn as nn


class Head(nn.Module):
    """ one head of causal self-attention """

    def __init__(self, n_embd, head_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        T = x.shape[1]
        k, q, v = self.key(x), self.query(x), self.value(x) # (B,T,hs)
        wei = q @ k.transpose(-2, -1) * k.shape[-1]**-0.5 # (B,T,T)
        tril = torch.tril(torch.ones(T, T, device=x.device))
        wei = wei.masked_fill(tril == 0, float('-inf'))
        return wei.softmax(dim=-1) @ v


class MultiHead(nn.Module):
    """ several heads side by side, then a projection """

    def __init__(self, n_embd, n_head):
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embd, n_embd // n_head) for _ in range(n_head)])
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))


class ErfGELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))


class TransformerBlock(nn.Module):
    """ communication, followed by computation """

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.ln1 = nn.LayerNorm(hidden_dim)
        self.sa = MultiHead(hidden_dim, num_heads)
        self.ln2 = nn.LayerNorm(hidden_dim)
        self.ffwd = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            ErfGELU(),
            nn.Linear(4 * hidden_dim, hidden_dim),
        )

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        x = x + self.ffwd(self.ln2(x))
        return x
