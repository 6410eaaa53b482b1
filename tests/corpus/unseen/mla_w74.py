import math
import torch
from torch import nn


def rope(x, pos):
    d = x.shape[-1]
    freq = 10000 ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float32) / d)
    ang = pos[:, None].float() * freq
    cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.D, self.R = num_heads, head_dim, rope_dim
        self.q_content = nn.Linear(hidden_dim, num_heads * head_dim)
        self.q_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def split(self, t):
        return t.view(t.shape[0], t.shape[1], self.H, -1).transpose(1, 2)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        start = 0 if cache is None else cache[0].shape[2]
        pos = torch.arange(start, start + T, device=x.device)
        c = self.kv_down(x)
        k_rope = rope(self.key_rope(x), pos)
        q = torch.cat([self.split(self.q_content(x)), rope(self.split(self.q_rope(x)), pos)], dim=-1)
        k = torch.cat([self.split(self.key_up(c)), k_rope[:, None].expand(-1, self.H, -1, -1)], dim=-1)
        v = self.split(self.value_up(c))
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
        S = k.shape[2]
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.D + self.R)
        future = torch.arange(S, device=x.device)[None, :] > pos[:, None]
        w = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        y = (w @ v).transpose(1, 2).reshape(B, T, -1)
        return self.out(y), (k, v)
