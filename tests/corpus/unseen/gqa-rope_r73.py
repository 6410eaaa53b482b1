# unrotated keys are cached, counted from the newest token backwards: only distances matter
import torch
from einops import einsum, rearrange
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        self.g, self.r, self.d = num_kv_heads, num_heads // num_kv_heads, hidden_dim // num_heads
        self.base = base
        # group by group: r queries, a key, a value
        self.in_proj = nn.Linear(hidden_dim, self.g * (self.r + 2) * self.d)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def turn(self, x, position):
        half = x.shape[-1] // 2
        speed = self.base ** -(torch.arange(half, device=x.device, dtype=torch.float64) / half)
        angle = position.to(torch.float64)[:, None] * speed
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)

    def forward(self, x, cache=None):
        mixed = rearrange(self.in_proj(x), "b t (g c d) -> b g c t d", g=self.g, d=self.d)
        q, kv = mixed[:, :, : self.r], mixed[:, :, self.r :]
        if cache is not None:
            kv = torch.cat((cache, kv), dim=-2)
        k, v = kv.unbind(2)
        n, s = q.shape[-2], k.shape[-2]
        position = torch.arange(1 - s, 1, device=x.device)  # the newest token is 0
        q, k = self.turn(q, position[s - n :]), self.turn(k, position)
        logits = einsum(q, k, "b g r t d, b g s d -> b g r t s") / self.d**0.5
        logits = logits.masked_fill(position[None, :] > position[s - n :, None], -torch.inf)
        y = einsum(logits.softmax(-1), v, "b g r t s, b g s d -> b g r t d")
        return self.out_proj(rearrange(y, "b g r t d -> b t (g r d)")), kv
