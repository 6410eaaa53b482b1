# wrong: mla rope-on-content line 34
import torch, math
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r, self.c = num_heads, head_dim, rope_dim, latent_dim
        self.q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.k_b = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.v_b = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def rot(self, x, start):
        t = torch.arange(start, start + x.shape[-2], device=x.device, dtype=torch.float32)
        w = x.shape[-1]
        f = 10000 ** (-torch.arange(0, w, 2, device=x.device, dtype=torch.float32) / w)
        a = t[:, None] * f
        c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
        u, w = x.chunk(2, -1)
        return torch.cat([u * c - w * s, w * c + u * s], -1)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        start = 0 if cache is None else cache[0].shape[1]
        lat, kr = self.kv_a(x).split([self.c, self.r], -1)
        kr = self.rot(kr, start)
        if cache is not None:
            lat, kr = torch.cat([cache[0], lat], 1), torch.cat([cache[1], kr], 1)
        q = self.q(x).view(B, T, self.h, -1).transpose(1, 2)
        qn, qr = q.split([self.d, self.r], -1)
        qn, qr = self.rot(qn, start), self.rot(qr, start)
        k = self.k_b(lat).view(B, -1, self.h, self.d).transpose(1, 2)
        v = self.v_b(lat).view(B, -1, self.h, self.d).transpose(1, 2)
        s = (qn @ k.mT + qr @ kr.unsqueeze(1).mT) / math.sqrt(self.d + self.r)
        S = lat.shape[1]
        s = s + torch.full((T, S), -torch.inf, device=x.device, dtype=x.dtype).triu(S - T + 1)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2)), (lat, kr)
