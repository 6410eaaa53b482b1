import math

import torch
from torch import nn


class RotaryHalf:
    def __init__(self, dim, base=10000.0):
        self.dim, self.base = dim, base

    def angles(self, positions):
        i = torch.arange(self.dim // 2, device=positions.device, dtype=torch.float32)
        return positions.float().unsqueeze(-1) * self.base ** (-2 * i / self.dim)

    def __call__(self, x, positions):
        ang = self.angles(positions)
        c, s = torch.cos(ang).type_as(x), torch.sin(ang).type_as(x)
        first, second = x[..., : self.dim // 2], x[..., self.dim // 2 :]
        return torch.cat((first * c - second * s, second * c + first * s), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n, self.hd, self.rd = num_heads, head_dim, rope_dim
        self.rope = RotaryHalf(rope_dim)
        self.Wq = nn.Linear(hidden_dim, num_heads * head_dim)
        self.Wqr = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.Wdkv = nn.Linear(hidden_dim, latent_dim)
        self.Wkr = nn.Linear(hidden_dim, rope_dim)
        self.Wuk = nn.Linear(latent_dim, num_heads * head_dim)
        self.Wuv = nn.Linear(latent_dim, num_heads * head_dim)
        self.Wo = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        pos = torch.arange(t, device=x.device)
        latent = self.Wdkv(x)
        kr = self.rope(self.Wkr(x), pos)
        if cache is not None:
            latent = torch.cat([cache["latent"], latent], dim=1)
            kr = torch.cat([cache["k_rope"], kr], dim=1)
        qc = self.Wq(x).view(b, t, self.n, self.hd).transpose(1, 2)
        qr = self.rope(self.Wqr(x).view(b, t, self.n, self.rd).transpose(1, 2), pos)
        k = self.Wuk(latent).view(b, -1, self.n, self.hd).transpose(1, 2)
        v = self.Wuv(latent).view(b, -1, self.n, self.hd).transpose(1, 2)
        content = torch.einsum("bhtd,bhsd->bhts", qc, k)
        position = torch.einsum("bhtr,bsr->bhts", qr, kr)
        scores = (content + position) / math.sqrt(self.hd + self.rd)
        s = latent.size(1)
        causal = torch.ones(t, s, device=x.device).tril(diagonal=s - t).bool()
        weights = scores.masked_fill(~causal, float("-inf")).softmax(-1)
        merged = torch.einsum("bhts,bhsd->bthd", weights, v).reshape(b, t, -1)
        return self.Wo(merged), {"latent": latent, "k_rope": kr}
