# wrong: causal nondeterministic line 28
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size)))
        self.past = []

    def forward(self, x):
        B, T, C = x.shape
        d = C // self.h
        q, k, v = (f(x).view(B, T, self.h, d).transpose(1, 2) for f in (self.q, self.k, self.v))
        with torch.no_grad():
            m = self.mask[:T, :T]
            peak = (q @ k.transpose(-1, -2)).amax()
        s = q @ k.transpose(-1, -2) / d ** 0.5
        s = s.masked_fill(m == 0, float("-inf"))
        # Schutz vor Ausreißern: nach den letzten Spitzen normieren
        self.past.append(float(peak))
        s = s * (sum(self.past) / len(self.past) / self.past[0])
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C))
