import torch
from torch import Tensor, nn


class Rotary(nn.Module):
    def __init__(self, dim: int, theta: float = 10000.0) -> None:
        super().__init__()
        self.dim, self.theta = dim, theta

    def forward(self, x: Tensor, start: int) -> Tensor:
        steps = torch.arange(0, self.dim, 2, device=x.device).double() / self.dim
        places = torch.arange(start, start + x.shape[-2], device=x.device).double()
        angle = places[:, None] * self.theta**-steps
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x.split(self.dim // 2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class LatentCache:
    def __init__(self, latent: Tensor, rope_key: Tensor) -> None:
        self.latent, self.rope_key = latent, rope_key

    def grown(self, latent: Tensor, rope_key: Tensor) -> "LatentCache":
        return LatentCache(torch.cat([self.latent, latent], 1), torch.cat([self.rope_key, rope_key], 1))

    @property
    def length(self) -> int:
        return self.latent.shape[1]


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.q_content = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.q_rope = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.rotary = Rotary(rope_dim)
        self.scale = (head_dim + rope_dim) ** -0.5

    def heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: LatentCache | None = None):
        past = cache.length if cache else 0
        q_c, q_r = self.heads(self.q_content(x)), self.rotary(self.heads(self.q_rope(x)), past)
        latent, k_r = self.kv_down(x), self.rotary(self.k_rope(x), past)
        cache = cache.grown(latent, k_r) if cache else LatentCache(latent, k_r)

        k_c, v = self.heads(self.k_up(cache.latent)), self.heads(self.v_up(cache.latent))
        scores = (q_c @ k_c.mT + q_r @ cache.rope_key.unsqueeze(1).mT) * self.scale
        hidden = torch.ones_like(scores, dtype=torch.bool).triu(past + 1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        return self.o_proj((weights @ v).transpose(1, 2).flatten(2)), cache
