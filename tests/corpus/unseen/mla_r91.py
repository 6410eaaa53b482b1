import math
import torch
import torch.nn as nn


class LatentHead(nn.Module):
    """一个头: 自己的 query, 自己从 latent 做出 key 和 value"""

    def __init__(self, hidden_dim, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, head_dim)
        self.query_rope = nn.Linear(hidden_dim, rope_dim)
        self.key = nn.Linear(latent_dim, head_dim)
        self.value = nn.Linear(latent_dim, head_dim)
        self.scale = 1 / math.sqrt(head_dim + rope_dim)

    def forward(self, x, latent, key_rope, rotate, mask):
        s = self.query(x) @ self.key(latent).transpose(1, 2)
        s = s + rotate(self.query_rope(x)) @ key_rope.transpose(1, 2)
        s = (s * self.scale).masked_fill(mask, float("-inf"))
        return torch.softmax(s, dim=-1) @ self.value(latent)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.rope_dim = rope_dim
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.heads = nn.ModuleList(
            [LatentHead(hidden_dim, head_dim, rope_dim, latent_dim) for _ in range(num_heads)]
        )
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)
        self._table = None  # cos, sin 的表, 不够长时重新做 (和序列内容无关)

    def table(self, length, device):
        if self._table is None or self._table[0].size(0) < length or self._table[0].device != device:
            inv = 1.0 / 10000 ** (torch.arange(0, self.rope_dim, 2, device=device).double() / self.rope_dim)
            angle = torch.arange(2 * length, device=device).double()[:, None] * inv
            angle = torch.cat([angle, angle], dim=-1)
            self._table = (angle.cos(), angle.sin())
        return self._table

    def rotator(self, start, stop, device):
        cos, sin = (t[start:stop] for t in self.table(stop, device))

        def rotate(t):
            a, b = t.chunk(2, dim=-1)
            return (t * cos + torch.cat([-b, a], dim=-1) * sin).to(t.dtype)

        return rotate

    def forward(self, x, cache=None):
        old = {"latent": [], "rope": []} if cache is None else cache
        past = sum(t.size(1) for t in old["latent"])
        total = past + x.size(1)
        rotate = self.rotator(past, total, x.device)
        new = {
            "latent": old["latent"] + [self.kv_down(x)],
            "rope": old["rope"] + [rotate(self.key_rope(x))],
        }
        latent, key_rope = torch.cat(new["latent"], 1), torch.cat(new["rope"], 1)
        i = torch.arange(past, total, device=x.device)[:, None]
        mask = torch.arange(total, device=x.device)[None, :] > i
        outs = [head(x, latent, key_rope, rotate, mask) for head in self.heads]
        return self.out(torch.cat(outs, dim=-1)), new
