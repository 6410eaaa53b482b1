import torch
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.act = nn.GELU()
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def heads(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attention(self, h):
        q, k, v = self.heads(self.q(h)), self.heads(self.k(h)), self.heads(self.v(h))
        n = h.shape[1]
        scores = torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5
        scores = scores + torch.full((n, n), float("-inf"), dtype=h.dtype, device=h.device).triu(1)
        return self.o(torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2).flatten(2))

    def forward(self, x):
        # the stream runs through; each branch only adds to it
        x += self.attention(self.norm_1(x))
        x = x + self.down(self.act(self.up(self.norm_2(x))))
        return x
