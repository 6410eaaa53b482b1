# wrong: mla rope-turned-backwards line 31
# fair: rope-turned-backwards 32
"""MLA from scratch, lit-gpt flavour."""
from typing import Optional, Tuple

import torch
import torch.nn as nn


class Config:
    def __init__(self, **kw):
        self.__dict__.update(kw)


def build_rope_cache(positions: torch.Tensor, n_elem: int, base: int = 10000) -> Tuple[torch.Tensor, torch.Tensor]:
    """Sine and cosine, (len, n_elem)."""
    # $\Theta = {\theta_i = 10000^{\frac{-2(i-1)}{d}}, i \in [1, 2, ..., \frac{d}{2}]}$
    theta = 1.0 / (base ** (torch.arange(0, n_elem, 2, device=positions.device).float() / n_elem))
    # $p \theta_i$, twice, since the elements of a pair are half a width apart
    idx_theta = torch.outer(positions.float(), theta).repeat(1, 2)
    return torch.cos(idx_theta), torch.sin(idx_theta)


def apply_rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """x: (B, ..., T, n_elem)

    Rotates the two halves of the last dimension against each other.
    """
    head_size_half = x.size(-1) // 2
    x1, x2 = x[..., :head_size_half], x[..., head_size_half:]
    rotated = torch.cat((x2, -x1), dim=-1)
    roped = (x * cos) + (rotated * sin)
    return roped.to(dtype=x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.config = Config(n_head=num_heads, head_size=head_dim, rope_n_elem=rope_dim, latent=latent_dim)
        self.q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x: torch.Tensor, cache: Optional[dict] = None) -> Tuple[torch.Tensor, dict]:
        cfg = self.config
        B, T, _ = x.size()
        input_pos = torch.arange(T, device=x.device) + (cache["latent"].size(1) if cache else 0)
        cos, sin = build_rope_cache(input_pos, cfg.rope_n_elem)

        q = self.q(x).view(B, T, cfg.n_head, -1).permute(0, 2, 1, 3)  # (B, nh, T, hs + rope)
        q = torch.cat((q[..., : cfg.head_size], apply_rope(q[..., cfg.head_size :], cos, sin)), dim=-1)

        latent, k_rope = self.kv_a(x).split((cfg.latent, cfg.rope_n_elem), dim=-1)
        k_rope = apply_rope(k_rope, cos, sin)
        if cache:
            latent = torch.cat((cache["latent"], latent), dim=1)
            k_rope = torch.cat((cache["k_rope"], k_rope), dim=1)

        kv = self.kv_b(latent).view(B, -1, cfg.n_head, 2, cfg.head_size)
        k, v = kv.permute(3, 0, 2, 1, 4).unbind(0)
        k = torch.cat((k, k_rope.unsqueeze(1).expand(-1, cfg.n_head, -1, -1)), dim=-1)

        scores = q @ k.mT * (cfg.head_size + cfg.rope_n_elem) ** -0.5
        mask = torch.arange(k.size(2), device=x.device)[None, :] > input_pos[:, None]
        scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        y = torch.softmax(scores, dim=-1, dtype=torch.float).to(v.dtype) @ v
        y = y.transpose(1, 2).reshape(B, T, cfg.n_head * cfg.head_size)
        return self.proj(y), {"latent": latent, "k_rope": k_rope}
