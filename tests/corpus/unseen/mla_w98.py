import torch
from torch import nn


class Rope(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, t, start=0):
        """Rotate the last axis of t; positions lie on the last axis but one."""
        half = self.dim // 2
        wide = torch.float64
        rates = torch.logspace(0, -4 * (half - 1) / half, half, base=10.0, dtype=wide, device=t.device)
        places = start + torch.arange(t.size(-2), dtype=wide, device=t.device)
        phase = torch.outer(places, rates)
        c, s = torch.cos(phase).to(t.dtype), torch.sin(phase).to(t.dtype)
        first, second = t[..., :half], t[..., half:]
        return torch.cat((first * c - second * s, second * c + first * s), -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.sizes = (head_dim, rope_dim)
        self.query = nn.Linear(hidden_dim, num_heads * sum(self.sizes))
        self.down = nn.Linear(hidden_dim, latent_dim)
        self.rope_key = nn.Linear(hidden_dim, rope_dim)
        self.up = nn.Linear(latent_dim, 2 * num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)
        self.rope = Rope(rope_dim)

    def heads(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x, cache=None):
        latent, shared = self.down(x), self.rope_key(x)
        if cache is not None:
            latent = torch.cat((cache["latent"], latent), 1)
            shared = torch.cat((cache["shared"], shared), 1)
        past = latent.size(1) - x.size(1)
        turned = self.rope(shared)
        cache = {"latent": latent, "shared": turned}

        content, rotary = self.heads(self.query(x)).split(self.sizes, -1)
        key, value = map(self.heads, self.up(latent).chunk(2, -1))
        scores = content @ key.mT + self.rope(rotary, past) @ turned.unsqueeze(1).mT
        scores = scores / sum(self.sizes) ** 0.5
        visible = torch.ones(scores.shape[-2:], device=x.device).tril(past) > 0
        weights = torch.where(visible, scores, -torch.inf).softmax(-1)
        return self.out((weights @ value).transpose(1, 2).flatten(2)), cache
