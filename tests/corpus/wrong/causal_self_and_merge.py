# wrong: causal causal-excludes-self line 15, heads-merge-without-transpose line 25
# 因果注意力（两处错误）
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_o = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size), -1))

    def forward(self, x):
        b, s, h = x.size()
        q = self.to_q(x).view(b, s, self.num_heads, -1).permute(0, 2, 1, 3)
        k = self.to_k(x).view(b, s, self.num_heads, -1).permute(0, 2, 3, 1)
        v = self.to_v(x).view(b, s, self.num_heads, -1).permute(0, 2, 1, 3)
        score = torch.matmul(q, k) / q.size(-1) ** 0.5
        score = score.masked_fill(self.tril[:s, :s] == 0, -1e9)
        ctx = torch.matmul(score.softmax(dim=-1), v)
        return self.to_o(ctx.reshape(b, s, h))
