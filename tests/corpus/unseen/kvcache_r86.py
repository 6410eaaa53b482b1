import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """The cache is a growing tuple of chunks of fused keys and values."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, w = x.shape
        chunks = (*(cache or ()), self.kv(x))
        kv = torch.cat(chunks, dim=1)
        n = kv.shape[1]
        k, v = kv.view(b, n, 2, self.num_heads, -1).unbind(2)
        q = self.query(x).view(b, t, self.num_heads, -1)

        scores = torch.einsum("bihd,bjhd->bijh", q, k) / q.shape[-1] ** 0.5
        age = torch.arange(n - t, n, device=x.device)[:, None] - torch.arange(n, device=x.device)
        scores = scores.masked_fill((age < 0)[None, :, :, None], -torch.inf)
        y = torch.einsum("bijh,bjhd->bihd", scores.softmax(dim=2), v)
        return self.out(y.flatten(2)), chunks
