from torch import nn, einsum
import torch


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x):
        x = self.norm(x)
        return self.fn(x) + x


def FeedForward(dim, mult=4):
    return nn.Sequential(
        nn.Linear(dim, dim * mult),
        nn.GELU(),
        nn.Linear(dim * mult, dim),
    )


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        n, h = x.shape[1], self.heads
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = map(lambda t: t.unflatten(-1, (h, -1)).transpose(1, 2), (q, k, v))

        sim = einsum('b h i d, b h j d -> b h i j', q * self.scale, k)
        causal_mask = torch.ones((n, n), dtype=torch.bool, device=x.device).triu(1)
        sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)

        out = einsum('b h i j, b h j d -> b h i d', attn, v)
        return self.to_out(out.transpose(1, 2).flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.attn = PreNorm(hidden_dim, Attention(hidden_dim, num_heads))
        self.ff = PreNorm(hidden_dim, FeedForward(hidden_dim))

    def forward(self, x):
        return self.ff(self.attn(x))
