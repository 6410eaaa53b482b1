import torch
from torch import einsum, nn


def rope(t, positions, theta=10000.):
    # t: (b, n, ..., d), rotated in halves
    half = t.shape[-1] // 2
    wide = torch.promote_types(t.dtype, torch.float32)
    inv = theta ** (-torch.arange(half, device=t.device, dtype=wide) / half)
    freqs = positions.to(wide)[:, None] * inv
    freqs = freqs.view(1, freqs.shape[0], *(1,) * (t.ndim - 3), half)
    cos, sin = freqs.cos(), freqs.sin()
    x1, x2 = t.to(wide).chunk(2, dim=-1)
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1).to(t.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.heads, self.dim_head = num_heads, head_dim
        self.to_q = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.to_q_rope = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.to_latent = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.to_k_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.latent_to_k = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim ** -0.5)
        self.latent_to_v = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim ** -0.5)
        self.to_out = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, n, h = *x.shape[:2], self.heads
        offset = cache[0].shape[-2] if cache is not None else 0
        pos = torch.arange(offset, offset + n, device=x.device)

        latent = self.to_latent(x)
        k_rope = rope(self.to_k_rope(x), pos)
        if cache is not None:
            latent = torch.cat((cache[0], latent), dim=-2)
            k_rope = torch.cat((cache[1], k_rope), dim=-2)

        q = self.to_q(x).view(b, n, h, -1)
        q_rope = rope(self.to_q_rope(x).view(b, n, h, -1), pos)

        # the up projection of the keys goes to the side of the queries
        q = einsum('b n h d, h d r -> b h n r', q, self.latent_to_k)
        q = torch.cat((q, q_rope.transpose(1, 2)), dim=-1)
        k = torch.cat((latent, k_rope), dim=-1)

        sim = einsum('b h i c, b j c -> b h i j', q, k) * q.shape[-1] ** -0.5
        i, j = sim.shape[-2:]
        causal_mask = torch.ones((i, j), dtype=torch.bool, device=x.device).triu(j - i + 1)
        attn = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max).softmax(dim=-1)

        out = einsum('b h i j, b j r -> b h i r', attn, latent)
        out = einsum('b h i r, h d r -> b i h d', out, self.latent_to_v)
        return self.to_out(out.reshape(b, n, -1)), (latent, k_rope)
