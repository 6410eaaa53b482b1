import torch
from torch import nn, einsum


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, n, h = *x.shape[:2], self.heads
        q, k, v = [t.reshape(b, n, h, -1).permute(0, 2, 1, 3) for t in self.to_qkv(x).chunk(3, dim=-1)]

        if cache is not None:
            ck, cv = cache
            k, v = torch.cat((ck, k), dim=-2), torch.cat((cv, v), dim=-2)

        k = k * self.scale
        sim = einsum('b h i d, b h j d -> b h i j', q, k)

        i, j = sim.shape[-2:]
        causal_mask = torch.ones((i, j), device=x.device, dtype=torch.bool).triu(j - i + 1)
        sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)

        out = einsum('b h i j, b h j d -> b h i d', sim.softmax(dim=-1), v)
        out = out.permute(0, 2, 1, 3).reshape(b, n, -1)
        return self.to_out(out), (k, v)
