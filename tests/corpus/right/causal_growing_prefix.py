# right: causal
# No mask at all: position t is simply shown the keys 0..t.
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size=None):
        super().__init__()
        self.num_heads = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, c = x.shape
        d = c // self.num_heads
        q = self.wq(x).view(b, t, self.num_heads, d)
        k = self.wk(x).view(b, t, self.num_heads, d)
        v = self.wv(x).view(b, t, self.num_heads, d)
        outputs = []
        for i in range(t):
            seen_k, seen_v = k[:, : i + 1], v[:, : i + 1]
            s = torch.einsum("bhd,bshd->bhs", q[:, i], seen_k) / d**0.5
            outputs.append(torch.einsum("bhs,bshd->bhd", s.softmax(dim=-1), seen_v).reshape(b, c))
        return self.wo(torch.stack(outputs, dim=1))
