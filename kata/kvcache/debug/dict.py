import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """The cache is a dict of tensors with the length on axis 1, before heads are split off."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, cache=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        if cache:
            k = torch.cat([cache["k"], k], dim=1)
            v = torch.cat([cache["v"], v], dim=1)
        new_cache = {"k": k, "v": v}
        heads = [t.unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for t in (q, k, v)]
        q, k, v = heads
        scores = q @ k.mT * q.shape[-1] ** -0.5
        n, m = scores.shape[-2:]
        future = torch.ones(n, m, dtype=torch.bool, device=x.device).triu(m - n + 1)
        scores = scores.masked_fill(future, torch.finfo(scores.dtype).min)
        mixed = scores.softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).flatten(2)), new_cache
