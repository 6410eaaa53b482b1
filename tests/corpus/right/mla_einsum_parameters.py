# right: mla
# Raw parameters with a head axis, one einsum after another.
import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()

        def weight(*shape):
            return nn.Parameter(torch.randn(*shape) / shape[0] ** 0.5)

        self.w_q_nope = weight(hidden_dim, num_heads, head_dim)
        self.w_q_rope = weight(hidden_dim, num_heads, rope_dim)
        self.w_down = weight(hidden_dim, latent_dim)
        self.w_k_rope = weight(hidden_dim, rope_dim)
        self.w_k_up = weight(latent_dim, num_heads, head_dim)
        self.w_v_up = weight(latent_dim, num_heads, head_dim)
        self.w_out = weight(num_heads, head_dim, hidden_dim)
        half = rope_dim // 2
        self.register_buffer("freq", 1e4 ** (-torch.arange(half) / half), persistent=False)

    def rotate(self, x, first):
        angles = torch.arange(first, first + x.shape[1], device=x.device).unsqueeze(1) * self.freq
        shape = (1, x.shape[1], *[1] * (x.dim() - 3), -1)
        cos, sin = angles.cos().view(shape), angles.sin().view(shape)
        half = x.shape[-1] // 2
        a, b = x[..., :half], x[..., half:]
        return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1).to(x.dtype)

    def forward(self, x, cache=None):
        first = 0 if cache is None else cache[0].shape[1]
        c = torch.einsum("bte,ec->btc", x, self.w_down)
        kr = self.rotate(torch.einsum("bte,er->btr", x, self.w_k_rope), first)
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            kr = torch.cat([cache[1], kr], dim=1)
        q = torch.einsum("bte,ehd->bthd", x, self.w_q_nope)
        qr = self.rotate(torch.einsum("bte,ehr->bthr", x, self.w_q_rope), first)
        k = torch.einsum("bsc,chd->bshd", c, self.w_k_up)
        v = torch.einsum("bsc,chd->bshd", c, self.w_v_up)
        scale = (q.shape[-1] + qr.shape[-1]) ** -0.5
        s = (torch.einsum("bthd,bshd->bhts", q, k) + torch.einsum("bthr,bsr->bhts", qr, kr)) * scale
        t, n = s.shape[-2:]
        ok = torch.ones(t, n, device=x.device).tril(n - t).bool()
        w = torch.where(ok, s, torch.finfo(s.dtype).min).softmax(dim=-1)
        o = torch.einsum("bhts,bshd->bthd", w, v)
        return torch.einsum("bthd,hde->bte", o, self.w_out), (c, kr)
