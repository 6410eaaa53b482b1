# right: mla
# W_UK goes into the query and W_UV behind the weights: keys and values never exist.
import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int):
        super().__init__()
        self.h, self.d, self.r, self.c = num_heads, head_dim, rope_dim, latent_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.wkv_b = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def turned(self, x: Tensor, positions: Tensor) -> Tensor:
        steps = torch.arange(0, self.r, 2, device=x.device, dtype=torch.float32)
        angles = positions.float()[:, None] * 10000.0 ** (-steps / self.r)
        rotor = torch.polar(torch.ones_like(angles), angles)
        pairs = torch.complex(*x.float().chunk(2, dim=-1))
        out = pairs * rotor
        return torch.cat([out.real, out.imag], dim=-1).to(x.dtype)

    def forward(self, x: Tensor, cache: Tensor | None = None) -> tuple[Tensor, Tensor]:
        b, t, _ = x.shape
        start = 0 if cache is None else cache.shape[1]
        pos = torch.arange(start, start + t, device=x.device)
        q_nope, q_pe = self.wq(x).view(b, t, self.h, -1).split([self.d, self.r], dim=-1)
        q_pe = self.turned(q_pe.transpose(1, 2), pos)
        latent, k_pe = self.wkv_a(x).split([self.c, self.r], dim=-1)
        new = torch.cat([latent, self.turned(k_pe, pos)], dim=-1)
        cache = new if cache is None else torch.cat([cache, new], dim=1)
        latents, keys_pe = cache.split([self.c, self.r], dim=-1)
        up = self.wkv_b.weight.view(self.h, 2 * self.d, self.c)
        absorbed = torch.einsum("bthd,hdc->bhtc", q_nope, up[:, : self.d])
        scores = torch.einsum("bhtc,bsc->bhts", absorbed, latents)
        scores = scores + torch.einsum("bhtr,bsr->bhts", q_pe, keys_pe)
        scores = scores * (self.d + self.r) ** -0.5
        s = cache.shape[1]
        key_place = torch.arange(s, device=x.device)
        scores = scores.masked_fill(key_place > pos[:, None], float("-inf"))
        mixed = torch.einsum("bhts,bsc->bhtc", scores.softmax(-1), latents)
        context = torch.einsum("bhtc,hdc->bthd", mixed, up[:, self.d :])
        return self.wo(context.flatten(2)), cache
