import math
import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n_heads = num_heads
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.softmax_scale = self.qk_nope_head_dim ** -0.5
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.wkv_down = nn.Linear(hidden_dim, latent_dim)
        self.wk_rope = nn.Linear(hidden_dim, rope_dim)
        self.wk_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.wv_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim)

    def rope(self, t, offset):
        half = self.qk_rope_head_dim // 2
        inv = 10000.0 ** (-torch.arange(half, device=t.device).float() / half)
        ang = (torch.arange(t.shape[-2], device=t.device).float() + offset)[:, None] * inv
        cos, sin = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        u, w = t[..., :half], t[..., half:]
        return torch.cat([u * cos - w * sin, w * cos + u * sin], dim=-1)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        offset = cache["latent"].shape[1] if cache else 0
        q = self.wq(x).view(b, t, self.n_heads, -1).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = self.rope(q_pe, offset)
        latent = self.wkv_down(x)
        k_pe = self.rope(self.wk_rope(x), offset)
        if cache:
            latent = torch.cat([cache["latent"], latent], dim=1)
            k_pe = torch.cat([cache["k_pe"], k_pe], dim=1)
        s = latent.shape[1]
        k_nope = self.wk_up(latent).view(b, s, self.n_heads, -1).transpose(1, 2)
        v = self.wv_up(latent).view(b, s, self.n_heads, -1).transpose(1, 2)
        scores = (q_nope @ k_nope.mT + q_pe @ k_pe[:, None].mT) * self.softmax_scale
        mask = torch.full((t, s), float("-inf"), device=x.device, dtype=x.dtype).triu(s - t + 1)
        out = (scores + mask).softmax(-1) @ v
        return self.wo(out.transpose(1, 2).flatten(2)), {"latent": latent, "k_pe": k_pe}
