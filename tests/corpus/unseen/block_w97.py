import torch
from torch import nn
from torch.nn import functional as F


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads = num_heads
        self.d_head = hidden_dim // num_heads

        self.norm1 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.norm2 = nn.LayerNorm(hidden_dim, eps=1e-5)

        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

        self.fc1 = nn.Linear(hidden_dim, hidden_dim * 4)
        self.fc2 = nn.Linear(hidden_dim * 4, hidden_dim)
        self.register_buffer('mask', torch.tril(torch.ones(hidden_dim, hidden_dim)).bool())

    def self_attention(self, x):
        b, t, c = x.shape
        q = self.to_q(x).view(b, t, self.n_heads, self.d_head).permute(0, 2, 1, 3)
        k = self.to_k(x).view(b, t, self.n_heads, self.d_head).permute(0, 2, 3, 1)
        v = self.to_v(x).view(b, t, self.n_heads, self.d_head).permute(0, 2, 1, 3)
        s = torch.matmul(q, k) * self.d_head ** -0.5
        s = s.masked_fill(self.mask[:t, :t] == False, float('-inf'))  # noqa: E712
        a = torch.matmul(F.softmax(s, dim=-1), v)
        return self.to_out(a.permute(0, 2, 1, 3).reshape(b, t, c))

    def feed_forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))

    def forward(self, x):
        x = x + self.self_attention(self.norm1(x))
        x = x + self.feed_forward(self.norm2(x))
        return x
