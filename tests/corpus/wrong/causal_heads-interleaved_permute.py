# wrong: causal heads-interleaved line 15
import torch, torch.nn as nn, math
import torch.nn.functional as F
class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.dh = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim); self.k = nn.Linear(hidden_dim, hidden_dim); self.v = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_buffer("allowed", torch.ones(block_size, block_size, dtype=torch.bool).tril(), persistent=False)
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.q(x), self.k(x), self.v(x)
        q, k, v = (t.view(B, T, self.dh, self.h).permute(0, 3, 1, 2) for t in (q, k, v))
        att = q @ k.transpose(-2, -1) * self.dh ** -0.5
        att = att.masked_fill(~self.allowed[:T, :T], float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        return self.out(y.transpose(1, 2).reshape(B, T, C))
