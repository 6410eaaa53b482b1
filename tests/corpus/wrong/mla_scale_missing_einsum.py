# wrong: mla scale-missing line 36
# fair: scale-missing 39
import torch
from torch import einsum, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        p = lambda *s: nn.Parameter(torch.randn(*s) * 0.02)
        self.q_content = p(num_heads, hidden_dim, head_dim)
        self.q_rope = p(num_heads, hidden_dim, rope_dim)
        self.down = p(hidden_dim, latent_dim)
        self.k_rope = p(hidden_dim, rope_dim)
        self.k_up = p(num_heads, latent_dim, head_dim)
        self.v_up = p(num_heads, latent_dim, head_dim)
        self.out = p(num_heads, head_dim, hidden_dim)

    @staticmethod
    def rot(x, start):
        r = x.shape[-1]
        f = 10000 ** (-torch.arange(0, r, 2, device=x.device) / r)
        ang = torch.arange(start, start + x.shape[-2], device=x.device)[:, None] * f
        a, b = x[..., : r // 2], x[..., r // 2 :]
        return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin()], -1).to(x.dtype)

    def forward(self, x, cache=None):
        start = 0 if cache is None else cache["c"].shape[1]
        c, kr = x @ self.down, self.rot(x @ self.k_rope, start)
        if cache is not None:
            c, kr = torch.cat([cache["c"], c], 1), torch.cat([cache["kr"], kr], 1)
        q = einsum("bte,hed->bhtd", x, self.q_content)
        qr = self.rot(einsum("bte,her->bhtr", x, self.q_rope), start)
        k = einsum("bsc,hcd->bhsd", c, self.k_up)
        v = einsum("bsc,hcd->bhsd", c, self.v_up)
        logits = einsum("bhtd,bhsd->bhts", q, k) + einsum("bhtr,bsr->bhts", qr, kr)
        t, s = logits.shape[-2:]
        logits = logits + torch.full((t, s), float("-inf"), device=x.device).triu(s - t + 1).to(x.dtype)
        attn = logits.softmax(-1)
        y = einsum("bhts,bhsd,hde->bte", attn, v, self.out)
        return y, {"c": c, "kr": kr}
