# wrong: mla rope-turned-again line 38
# fair: rope-turned-again 39
import math
import torch
from torch import Tensor, nn


def half_turn(x: Tensor, angle: Tensor) -> Tensor:
    a, b = x.chunk(2, -1)
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.rope_dim = rope_dim
        self.scale = 1.0 / math.sqrt(head_dim + rope_dim)
        self.query_nope = nn.Linear(hidden_dim, num_heads * head_dim)
        self.query_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.latent = nn.Linear(hidden_dim, latent_dim)
        self.rope_key = nn.Linear(hidden_dim, rope_dim)
        self.key = nn.Linear(latent_dim, num_heads * head_dim)
        self.value = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def angles(self, start, stop, device):
        steps = torch.arange(0, self.rope_dim, 2, device=device) / self.rope_dim
        return torch.arange(start, stop, device=device)[:, None] / 10000**steps

    def forward(self, x, cache=None):
        latent, keys = self.latent(x), self.rope_key(x)
        if cache is not None:
            latent = torch.cat([cache["latent"], latent], dim=1)
            keys = torch.cat([cache["rope"], keys], dim=1)
        total, new = latent.shape[1], x.shape[1]
        angles = self.angles(0, total, x.device)
        keys = half_turn(keys, angles)
        cache = {"latent": latent, "rope": keys}
        split = lambda t: t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        query = split(self.query_nope(x))
        query_rope = half_turn(split(self.query_rope(x)), angles[-new:])
        scores = (query @ split(self.key(latent)).mT + query_rope @ keys.mT.unsqueeze(1)) * self.scale
        ahead = torch.ones(new, total, device=x.device).triu(total - new + 1)
        weights = scores.masked_fill(ahead == 1, float("-inf")).softmax(-1)
        return self.out((weights @ split(self.value(latent))).transpose(1, 2).flatten(2)), cache
