# right: causal
"""Token by token: every step sees only the keys collected so far, so no mask is needed."""
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.heads, self.size = num_heads, hidden_dim // num_heads
        self.limit = block_size
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def step(self, token, ks, vs):
        shape = (token.shape[0], self.heads, self.size)
        ks.append(self.k(token).view(shape))
        vs.append(self.v(token).view(shape))
        K, V = torch.stack(ks, 2), torch.stack(vs, 2)              # B, H, seen, d
        q = self.q(token).view(shape).unsqueeze(2)                 # B, H, 1, d
        a = torch.softmax((q * K).sum(-1) / self.size ** 0.5, -1)  # B, H, seen
        return self.o((a.unsqueeze(-1) * V).sum(2).flatten(1))

    def forward(self, x):
        ks, vs = [], []
        return torch.stack([self.step(t, ks, vs) for t in x.unbind(1)], dim=1)
