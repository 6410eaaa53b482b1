import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    """Absorbed: queries go down to the latent, so no key and no value is ever made."""

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.root = (head_dim + rope_dim) ** 0.5
        self.half = rope_dim // 2

        def p(*shape, fan):
            return nn.Parameter(torch.randn(*shape) * fan**-0.5)

        self.q_content = p(num_heads, hidden_dim, head_dim, fan=hidden_dim)
        self.q_rotary = p(num_heads, hidden_dim, rope_dim, fan=hidden_dim)
        self.kv_down = p(hidden_dim, latent_dim, fan=hidden_dim)
        self.k_rotary = p(hidden_dim, rope_dim, fan=hidden_dim)
        self.key_up = p(num_heads, latent_dim, head_dim, fan=latent_dim)
        self.value_up = p(num_heads, latent_dim, head_dim, fan=latent_dim)
        self.output = p(num_heads, head_dim, hidden_dim, fan=num_heads * head_dim)

    def rotate(self, t, first):
        """Turn t (..., length, rope_dim), whose first row is position `first`."""
        wide = torch.promote_types(t.dtype, torch.float32)
        row = torch.arange(first, first + t.size(-2), device=t.device, dtype=torch.float64)
        speed = torch.logspace(0, -1, self.half + 1, 10000.0, dtype=torch.float64, device=t.device)[:-1]
        angle = (row[:, None] * speed).to(wide)
        a, b = t.to(wide).split(self.half, dim=-1)
        turned = [a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()]
        return torch.cat(turned, -1).to(t.dtype)

    def forward(self, x, cache=None):
        first = cache[0].size(1) if cache else 0
        c, kr = x @ self.kv_down, self.rotate(x @ self.k_rotary, first)
        if cache:
            c, kr = torch.cat([cache[0], c], 1), torch.cat([cache[1], kr], 1)
        qr = self.rotate(torch.einsum("bnc,hcr->bhnr", x, self.q_rotary), first)
        ql = torch.einsum("bnc,hcd,hld->bhnl", x, self.q_content, self.key_up)
        s = (torch.einsum("bhnl,bml->bhnm", ql, c) + torch.einsum("bhnr,bmr->bhnm", qr, kr)) / self.root
        n, m = s.shape[-2:]
        late = torch.ones(n, m, dtype=torch.bool, device=x.device).triu(m - n + 1)
        w = s.masked_fill(late, torch.finfo(s.dtype).min).softmax(-1)
        seen = torch.einsum("bhnm,bml->bhnl", w, c)
        return torch.einsum("bhnl,hld,hdc->bnc", seen, self.value_up, self.output), (c, kr)
