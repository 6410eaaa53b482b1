# wrong: mla rope-wrong-frequencies line 17
# fair: rope-wrong-frequencies 22
import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.latent_dim = latent_dim
        total = head_dim + rope_dim
        self.wq = nn.Linear(hidden_dim, num_heads * total)
        self.wkv = nn.Linear(hidden_dim, latent_dim + rope_dim)
        self.wup = nn.Linear(latent_dim, num_heads * head_dim * 2)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim)
        freq = 10000 ** (-torch.arange(0, rope_dim, 2) / total)
        self.register_buffer("freq", freq, persistent=False)
        self.scale = total**-0.5

    def rotary(self, x, start):
        angle = torch.arange(start, start + x.shape[1], device=x.device)[:, None] * self.freq
        angle = angle.view(1, x.shape[1], *([1] * (x.dim() - 3)), -1)
        front, back = x.chunk(2, dim=-1)
        return torch.cat([front * angle.cos() - back * angle.sin(),
                          back * angle.cos() + front * angle.sin()], dim=-1).to(x.dtype)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        start = 0 if cache is None else cache.shape[1]
        q = self.wq(x).view(b, t, self.num_heads, -1)
        q = torch.cat([q[..., : self.head_dim], self.rotary(q[..., self.head_dim :], start)], -1)
        latent, key = self.wkv(x).split([self.latent_dim, self.rope_dim], -1)
        new = torch.cat([latent, self.rotary(key, start)], -1)
        cache = torch.cat([cache, new], 1) if cache is not None else new
        k, v = self.wup(cache[..., : self.latent_dim]).view(b, -1, self.num_heads, 2, self.head_dim).unbind(3)
        k = torch.cat([k, cache[:, :, None, self.latent_dim :].expand(-1, -1, self.num_heads, -1)], -1)
        s = torch.einsum("bihd,bjhd->bhij", q, k) * self.scale
        j, i = torch.arange(k.shape[1], device=x.device), torch.arange(t, device=x.device)[:, None]
        s = s.masked_fill(j > i + start, float("-inf"))
        return self.wo(torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v).flatten(2)), cache
