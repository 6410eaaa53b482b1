# wrong: mla rope-positions-restart line 12
# fair: rope-positions-restart 36, 40
import math

import torch
from torch import Tensor, nn


def rotary(x: Tensor) -> Tensor:
    length, width = x.shape[-2:]
    frequency = 10000 ** (-torch.arange(0, width, 2, device=x.device) / width)
    angle = torch.arange(length, device=x.device)[:, None] * frequency
    first, second = x.chunk(2, dim=-1)
    turned = [first * angle.cos() - second * angle.sin(), second * angle.cos() + first * angle.sin()]
    return torch.cat(turned, dim=-1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int):
        super().__init__()
        self.num_heads = num_heads
        self.scale = math.sqrt(head_dim + rope_dim)
        self.query_content = nn.Linear(hidden_dim, num_heads * head_dim)
        self.query_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.output = nn.Linear(num_heads * head_dim, hidden_dim)

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        latent = self.kv_down(x)
        key_rope = rotary(self.key_rope(x))
        if cache is not None:
            latent = torch.cat([cache[0], latent], dim=1)
            key_rope = torch.cat([cache[1], key_rope], dim=1)
        query_rope = rotary(self._heads(self.query_rope(x)))
        scores = self._heads(self.query_content(x)) @ self._heads(self.key_up(latent)).mT
        scores = scores + query_rope @ key_rope.mT.unsqueeze(1)
        length, total = scores.shape[-2:]
        allowed = torch.ones(length, total, dtype=torch.bool, device=x.device).tril(total - length)
        weights = (scores / self.scale).masked_fill(~allowed, float("-inf")).softmax(dim=-1)
        context = weights @ self._heads(self.value_up(latent))
        return self.output(context.transpose(1, 2).flatten(2)), (latent, key_rope)
