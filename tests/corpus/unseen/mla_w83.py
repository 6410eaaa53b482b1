import torch
import torch.nn as nn


def apply_rope(x, pos):
    d = x.shape[-1]
    inv_freq = 1.0 / (10000.0 ** (torch.arange(0, d, 2, dtype=torch.float32, device=x.device) / d))
    f = pos.to(torch.float32)[:, None] * inv_freq[None, :]
    f = torch.cat((f, f), dim=-1)
    rot = torch.cat((-x[..., d // 2:], x[..., : d // 2]), dim=-1)
    return x * f.cos().to(x.dtype) + rot * f.sin().to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.nope, self.rope, self.rank = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a_proj = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.shape
        past = 0 if cache is None else cache.shape[1]
        pos = torch.arange(past, past + q_len, device=x.device)
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, -1).transpose(1, 2)
        q_nope, q_pe = q.split([self.nope, self.rope], dim=-1)
        latent, k_pe = self.kv_a_proj(x).split([self.rank, self.rope], dim=-1)
        entry = torch.cat([latent, apply_rope(k_pe, pos)], dim=-1)
        cache = entry if cache is None else torch.cat([cache, entry], dim=1)
        latent, k_pe = cache.split([self.rank, self.rope], dim=-1)
        kv_len = cache.shape[1]
        kv = self.kv_b_proj(latent).view(bsz, kv_len, self.num_heads, 2 * self.nope).transpose(1, 2)
        k_nope, value = kv.split(self.nope, dim=-1)
        query = torch.cat([q_nope, apply_rope(q_pe, pos)], dim=-1)
        key = torch.cat([k_nope, k_pe.unsqueeze(1)], dim=-1)
        attn = query @ key.transpose(2, 3) * (self.nope + self.rope) ** -0.5
        attn = attn.masked_fill(torch.arange(kv_len, device=x.device) > pos[:, None], float("-inf"))
        out = attn.softmax(dim=-1) @ value
        return self.o_proj(out.transpose(1, 2).reshape(bsz, q_len, -1)), cache
