# attn-kata: block
import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x):
        return self.fn(self.norm(x)) + x


class Attn(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.out = nn.Linear(dim, dim)

    def forward(self, h):
        b, n, c = h.shape
        q, k, v = self.qkv(h).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        s = (q * q.shape[-1] ** -0.5) @ k.mT
        s = s + torch.full((n, n), float("-inf"), dtype=s.dtype, device=s.device).triu(1)
        return self.out((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))


class TransformerBlock(nn.Sequential):
    def __init__(self, hidden_dim, num_heads):
        mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )
        super().__init__(Residual(hidden_dim, Attn(hidden_dim, num_heads)), Residual(hidden_dim, mlp))
