import torch
from torch import nn, einsum


def exists(v):
    return v is not None


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        n, device = x.shape[1], x.device
        q, k, v = self.to_q(x), *self.to_kv(x).chunk(2, dim=-1)
        q, k, v = (t.reshape(*t.shape[:2], self.heads, -1).transpose(1, 2) for t in (q, k, v))

        if exists(cache):
            ck, cv = cache.unbind(0)
            k = torch.cat((ck, k), dim=-2)
            v = torch.cat((cv, v), dim=-2)

        sim = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        if not exists(cache):
            causal_mask = torch.ones((n, k.shape[-2]), dtype=torch.bool, device=device).triu(1)
            sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)

        out = einsum("b h i j, b h j d -> b h i d", sim.softmax(dim=-1), v)
        out = out.transpose(1, 2).flatten(2)
        return self.to_out(out), torch.stack((k, v))
