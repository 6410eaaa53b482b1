import torch
from torch import nn


class Rope(nn.Module):
    BASE = 10000

    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, t, positions):
        """t (b, h, n, width), positions (n,) int64"""
        exponent = torch.arange(0, self.width, 2, device=t.device).double() / self.width
        ang = positions.double()[:, None] / self.BASE ** exponent
        cos, sin = (f(torch.cat((ang, ang), -1)).to(t.dtype) for f in (torch.cos, torch.sin))
        return t * cos + torch.cat(self.swap(t), dim=-1) * sin

    @staticmethod
    def swap(t):
        a, b = t.chunk(2, -1)
        return -b, a


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim, **options):
        super().__init__()
        bias = options.get("bias", True)
        self.h, self.widths = num_heads, {"nope": head_dim, "rope": rope_dim, "latent": latent_dim}
        self.w_down = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=bias)
        self.w_q_nope = nn.Linear(hidden_dim, num_heads * head_dim, bias=bias)
        self.w_q_rope = nn.Linear(hidden_dim, num_heads * rope_dim, bias=bias)
        self.w_up = nn.Linear(latent_dim, 2 * num_heads * head_dim, bias=bias)
        self.w_out = nn.Linear(num_heads * head_dim, hidden_dim, bias=bias)
        self.rope = Rope(rope_dim)

    def heads(self, t):
        return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def remember(self, x, cache, positions):
        latent, rope_key = self.w_down(x).split([self.widths["latent"], self.widths["rope"]], dim=-1)
        packed = torch.cat([latent, self.rope(rope_key[:, None], positions)[:, 0]], dim=-1)
        return packed if cache is None else torch.cat([cache["packed"], packed], dim=1)

    def queries(self, x, positions):
        return torch.cat([self.heads(self.w_q_nope(x)), self.rope(self.heads(self.w_q_rope(x)), positions)], -1)

    def keys_and_values(self, packed):
        latent, rope_key = packed.split([self.widths["latent"], self.widths["rope"]], dim=-1)
        content, value = (self.heads(t) for t in self.w_up(latent).chunk(2, dim=-1))
        shared = rope_key[:, None].expand(-1, self.h, -1, -1)
        return torch.cat([content, shared], -1), value

    def forward(self, x, cache=None):
        start = 0 if cache is None else cache["packed"].size(1)
        positions = torch.arange(start, start + x.size(1), device=x.device)
        packed = self.remember(x, cache, positions)
        q = self.queries(x, positions)
        k, v = self.keys_and_values(packed)
        s = q @ k.mT * q.size(-1) ** -0.5
        seen = torch.arange(packed.size(1), device=x.device) <= positions[:, None]
        out = torch.where(seen, s, float("-inf")).softmax(-1) @ v
        return self.w_out(out.transpose(1, 2).flatten(2)), {"packed": packed}
