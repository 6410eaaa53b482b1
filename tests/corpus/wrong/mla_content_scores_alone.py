# wrong: mla scores-part-missing line 38
# fair: scores-part-missing 40
import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    """The rotary parts are made and turned, and never meet."""

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n, self.d, self.r = num_heads, head_dim, rope_dim
        self.wq = nn.Linear(hidden_dim, num_heads * head_dim)
        self.wqr = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.wdkv = nn.Linear(hidden_dim, latent_dim)
        self.wkr = nn.Linear(hidden_dim, rope_dim)
        self.wuk = nn.Linear(latent_dim, num_heads * head_dim)
        self.wuv = nn.Linear(latent_dim, num_heads * head_dim)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim)

    def rope(self, x, start):
        i = torch.arange(0, self.r, 2, device=x.device)
        a = torch.arange(start, start + x.shape[-2], device=x.device)[:, None] * 10000 ** (-i / self.r)
        u, v = x.chunk(2, -1)
        return torch.cat([u * a.cos() - v * a.sin(), v * a.cos() + u * a.sin()], -1).to(x.dtype)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        start = 0 if cache is None else cache[0].shape[1]
        c, kr = self.wdkv(x), self.rope(self.wkr(x), start)
        if cache is not None:
            c, kr = torch.cat([cache[0], c], 1), torch.cat([cache[1], kr], 1)
        S = c.shape[1]
        q = self.wq(x).view(B, T, self.n, self.d).transpose(1, 2)
        qr = self.rope(self.wqr(x).view(B, T, self.n, self.r).transpose(1, 2), start)
        k = self.wuk(c).view(B, S, self.n, self.d).transpose(1, 2)
        v = self.wuv(c).view(B, S, self.n, self.d).transpose(1, 2)
        scores = q @ k.transpose(-1, -2)
        position = qr @ kr[:, None].transpose(-1, -2)
        scores = scores / (self.d + self.r) ** 0.5
        mask = torch.ones(T, S, device=x.device).tril(S - T)
        weights = scores.masked_fill(mask == 0, float("-inf")).softmax(-1)
        return self.wo((weights @ v).transpose(1, 2).flatten(2)), (c, kr)
