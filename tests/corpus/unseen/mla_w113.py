import math
import torch
from torch import nn


def rope_at(pos, dim):
    """Returns a function that turns (..., length, dim) by the given positions."""
    w = torch.exp(torch.arange(0, dim, 2, device=pos.device).double() * (-math.log(10000.0) / dim))
    a = pos.double().unsqueeze(-1) * w
    c, s = a.cos(), a.sin()

    def turn(t):
        p, q = t.split(dim // 2, dim=-1)
        C, S = c.to(t.dtype), s.to(t.dtype)
        return torch.cat([p * C - q * S, q * C + p * S], dim=-1)

    return turn


def join(old, new):
    return new if old is None else torch.cat([old, new], dim=1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.dims = num_heads, head_dim, rope_dim, latent_dim
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        H, D, R, _ = self.dims
        old_c, old_kr = cache or (None, None)
        c = join(old_c, self.down(x))
        kr = join(old_kr, self.key_rope(x))
        n, m = x.size(1), c.size(1)

        everywhere = torch.arange(m, device=x.device)
        here = everywhere[m - n:]
        kr = rope_at(everywhere, R)(kr)

        q = self.query(x).unflatten(-1, (H, D + R)).transpose(1, 2)
        qc, qr = q.split([D, R], dim=-1)
        qr = rope_at(here, R)(qr)
        kc = self.key_up(c).unflatten(-1, (H, D)).transpose(1, 2)
        v = self.value_up(c).unflatten(-1, (H, D)).transpose(1, 2)

        s = torch.einsum("bhnd,bhmd->bhnm", qc, kc) + torch.einsum("bhnr,bmr->bhnm", qr, kr)
        s = s.div(math.sqrt(D + R)).masked_fill(everywhere > here[:, None], -math.inf)
        y = torch.einsum("bhnm,bhmd->bnhd", s.softmax(-1), v).flatten(2)
        return self.out(y), (c, kr)
