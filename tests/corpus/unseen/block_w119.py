import torch
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.qkv, self.proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False), nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.mlp = nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim))

    def attention(self, h):
        q, k, v = self.qkv(h).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind()
        s = (q @ k.mT).mul(q.size(-1) ** -0.5)
        s = s + torch.full_like(s[0, 0], -torch.inf).triu(1)
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return (x := self.norm_2(x)) + self.mlp(x)
