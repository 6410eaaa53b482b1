# wrong: block rms-norm line 12, activation-other line 35
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return self.weight * x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt()


class TransformerBlock(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.up = nn.Linear(dim, 4 * dim, bias=False)
        self.down = nn.Linear(4 * dim, dim, bias=False)
        self.attn_norm, self.ffn_norm = RMSNorm(dim), RMSNorm(dim)

    def attn(self, x):
        q, k, v = (w(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        s = q @ k.mT / q.size(-1) ** 0.5
        s = s.masked_fill(torch.ones_like(s[0, 0]).tril() == 0, -torch.inf)
        return self.wo((s.softmax(-1) @ v).transpose(1, 2).flatten(-2))

    def forward(self, x):
        x = x + self.attn(self.attn_norm(x))
        return x + self.down(nn.functional.silu(self.up(self.ffn_norm(x))))
