# attn-kata: block
import torch
from torch import nn


class Norm(nn.Module):
    """层归一化"""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        mu = x.mean(dim=-1, keepdim=True)
        var = x.std(dim=-1, keepdim=True) ** 2
        return self.weight * (x - mu) * torch.rsqrt(var + self.eps) + self.bias


class CausalAttention(nn.Module):
    """因果多头注意力"""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.wq = nn.Linear(dim, dim)
        self.wk = nn.Linear(dim, dim)
        self.wv = nn.Linear(dim, dim)
        self.wo = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (w(x).view(b, n, self.heads, -1).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        scores = q @ k.transpose(2, 3) / (d // self.heads) ** 0.5
        keep = torch.tril(torch.ones(n, n, device=x.device)) > 0
        scores = scores.masked_fill(~keep, float("-inf"))
        return self.wo((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.ln1, self.ln2 = Norm(hidden_dim), Norm(hidden_dim)
        self.attn = CausalAttention(hidden_dim, num_heads)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)
        self.act = nn.GELU()

    def forward(self, x):
        # 先归一化，再做子层，最后加残差
        x = x + self.attn(self.ln1(x))
        x = x + self.down(self.act(self.up(self.ln2(x))))
        return x
