# wrong: mla cache-changed-in-place line 34
# fair: cache-changed-in-place 26 35
import torch, math
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n_head, self.hs, self.rs, self.ls = num_heads, head_dim, rope_dim, latent_dim
        self.c_q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.c_kv = nn.Linear(hidden_dim, latent_dim + rope_dim)
        self.c_up = nn.Linear(latent_dim, 2 * num_heads * head_dim)
        self.c_proj = nn.Linear(num_heads * head_dim, hidden_dim)

    def rope(self, x, pos):
        half = self.rs // 2
        w = torch.exp(torch.arange(half, device=x.device).double() * (-math.log(10000.0) / half))
        ang = pos.double()[:, None] * w
        cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def forward(self, x, cache=None):
        B, T, C = x.size()
        cache = cache if cache is not None else []  # chunks of (latent | rotary key)
        past = sum(chunk.size(1) for chunk in cache)
        pos = torch.arange(past, past + T, device=x.device)

        q = self.c_q(x).view(B, T, self.n_head, self.hs + self.rs).transpose(1, 2)
        q = torch.cat([q[..., :self.hs], self.rope(q[..., self.hs:], pos)], dim=-1)
        c, kr = self.c_kv(x).split([self.ls, self.rs], dim=-1)
        new = torch.cat([c, self.rope(kr, pos)], dim=-1)
        cache.append(new)
        c, kr = torch.cat(cache, dim=1).split([self.ls, self.rs], dim=-1)
        S = c.size(1)

        k, v = self.c_up(c).chunk(2, dim=-1)
        k = k.view(B, S, self.n_head, self.hs).transpose(1, 2)
        v = v.view(B, S, self.n_head, self.hs).transpose(1, 2)
        k = torch.cat([k, kr.unsqueeze(1).expand(-1, self.n_head, -1, -1)], dim=-1)

        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        att = att.masked_fill(torch.arange(S, device=x.device) > pos[:, None], float('-inf'))
        y = att.softmax(-1) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, -1)
        return self.c_proj(y), cache
