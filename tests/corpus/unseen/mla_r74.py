# Absorbed throughout: no key and no value is ever made. One parameter holds all maps, feature-last.
import math

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r, self.l, self.c = num_heads, head_dim, rope_dim, latent_dim, hidden_dim
        g = lambda *shape: nn.Parameter(torch.randn(*shape) * shape[-1] ** -0.5)  # noqa: E731
        self.p = nn.ParameterDict(
            dict(
                A=g(latent_dim + rope_dim, hidden_dim),             # down, and the rotary key
                B=g(num_heads, 2, head_dim, latent_dim),            # key_up, value_up
                C=g(num_heads, head_dim + rope_dim, hidden_dim),    # both parts of the queries
                D=g(hidden_dim, num_heads, head_dim),
            )
        )

    def spin(self, x: Tensor, start: int) -> Tensor:
        """x (B, T, ..., r)"""
        half = self.r // 2
        t = torch.arange(start, start + x.shape[1], device=x.device, dtype=torch.float64)
        f = torch.tensor([10000.0 ** (-i / half) for i in range(half)], dtype=torch.float64, device=x.device)
        a = (t[:, None] * f).view(-1, *[1] * (x.dim() - 3), half)
        c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
        u, w = x[..., :half], x[..., half:]
        return torch.cat([u * c - w * s, w * c + u * s], -1)

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache.shape[1]
        down = x @ self.p["A"].T
        new = torch.cat([down[..., : self.l], self.spin(down[..., self.l :], n)], -1)
        memory = new if cache is None else torch.cat([cache, new], 1)
        q = torch.einsum("btc,hec->bthe", x, self.p["C"])
        content, rotary = q.split([self.d, self.r], -1)
        key_up, value_up = self.p["B"].unbind(1)
        absorbed = torch.einsum("bthd,hdl->bthl", content, key_up)
        wide = torch.cat([absorbed, self.spin(rotary, n)], -1)
        s = torch.einsum("bthe,bse->bhts", wide, memory) / math.sqrt(self.d + self.r)
        ahead = torch.arange(memory.shape[1], device=x.device) > torch.arange(
            n, memory.shape[1], device=x.device).unsqueeze(1)
        w = s.masked_fill(ahead, float("-inf")).softmax(-1)
        latents = torch.einsum("bhts,bsl->bthl", w, memory[..., : self.l])
        heads = torch.einsum("bthl,hdl->bthd", latents, value_up)
        return torch.einsum("bthd,chd->btc", heads, self.p["D"]), memory
