# the block is an nn.Sequential of two residual branches
import torch
from einops import rearrange
from torch import nn


class PreNormResidual(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x):
        return self.fn(self.norm(x)) + x


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = rearrange(self.to_qkv(x), "b n (qkv h d) -> qkv (b h) n d", qkv=3, h=self.heads)
        dots = torch.baddbmm(torch.zeros((), dtype=q.dtype, device=q.device), q, k.mT, beta=0, alpha=q.shape[-1] ** -0.5)
        i, j = dots.shape[-2:]
        causal_mask = torch.ones((i, j), dtype=torch.bool, device=x.device).triu(j - i + 1)
        dots = dots.masked_fill(causal_mask, -torch.finfo(dots.dtype).max)
        out = dots.softmax(dim=-1) @ v
        return self.to_out(rearrange(out, "(b h) n d -> b n (h d)", h=self.heads))


class TransformerBlock(nn.Sequential):
    def __init__(self, hidden_dim, num_heads):
        mlp = nn.Sequential(nn.Linear(hidden_dim, hidden_dim * 4), nn.GELU(), nn.Linear(hidden_dim * 4, hidden_dim))
        super().__init__(
            PreNormResidual(hidden_dim, Attention(hidden_dim, num_heads)),
            PreNormResidual(hidden_dim, mlp),
        )
