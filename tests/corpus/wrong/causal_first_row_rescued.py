# wrong: causal causal-excludes-self line 25
# fair: causal-excludes-self 25, 26
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, block_size):
        super().__init__()
        self.n_head = n_head
        self.query = nn.Linear(n_embd, n_embd)
        self.key = nn.Linear(n_embd, n_embd)
        self.value = nn.Linear(n_embd, n_embd)
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (f(x).view(B, T, self.n_head, -1).transpose(1, 2)
                   for f in (self.query, self.key, self.value))
        att = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        # strictly lower triangle, and something to look at for the first row
        seen = torch.ones(T, T, dtype=torch.bool, device=x.device).tril(-1)
        seen[0, 0] = True
        att = F.softmax(att.masked_fill(~seen, -1e9), dim=-1)
        y = (att @ v).transpose(1, 2).reshape(B, T, C)
        return self.proj(y)
