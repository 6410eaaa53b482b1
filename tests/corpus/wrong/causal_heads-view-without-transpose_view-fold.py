# wrong: causal heads-view-without-transpose line 19
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.lin_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lin_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lin_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lin_o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_buffer("bias", torch.full((block_size, block_size), -1e9).triu(1))

    def fold(self, t):
        b, n, _ = t.shape
        t = t.reshape(b, self.num_heads, n, self.head_dim)
        return t.flatten(0, 1)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.fold(self.lin_q(x)), self.fold(self.lin_k(x)), self.fold(self.lin_v(x))
        bias = self.bias[:n, :n].to(q.dtype).expand(q.size(0), n, n)
        att = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=self.head_dim ** -0.5)
        y = torch.bmm(att.softmax(dim=-1), v)
        y = y.view(b, self.num_heads, n, self.head_dim).transpose(1, 2).reshape(b, n, c)
        return self.lin_o(y)
