# wrong: causal softmax-twice line 18
import torch, torch.nn as nn, math
import torch.nn.functional as F
class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.dh = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_buffer("allowed", torch.ones(block_size, block_size, dtype=torch.bool).tril(), persistent=False)
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=-1)
        q, k, v = (t.view(B, T, self.h, self.dh).transpose(1, 2) for t in (q, k, v))
        att = q @ k.transpose(-2, -1) * self.dh ** -0.5
        att = F.softmax(att.masked_fill(~self.allowed[:T, :T], float("-inf")), -1)
        att = F.softmax(att, dim=-1)
        y = att @ v
        return self.out(y.transpose(1, 2).reshape(B, T, C))
