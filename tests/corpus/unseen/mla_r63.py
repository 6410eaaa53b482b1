import math

import torch
from torch import nn
from torch.func import vmap


def rope_table(first, count, dim, device):
    """cos and sin, (count, dim/2), in double precision whatever the model runs in."""
    k = torch.arange(0, dim, 2, dtype=torch.float64, device=device)
    pos = torch.arange(first, first + count, dtype=torch.float64, device=device)
    ang = pos[:, None] * torch.exp(k * (-math.log(10000.0) / dim))[None, :]
    return ang.cos(), ang.sin()


def apply_rope(vec, table):
    """vec (..., L, dim): halves are the two coordinates of the pairs."""
    cos, sin = (t.to(torch.promote_types(vec.dtype, torch.float32)) for t in table)
    lo, hi = vec.tensor_split(2, dim=-1)
    return torch.cat((lo * cos - hi * sin, hi * cos + lo * sin), dim=-1).to(vec.dtype)


def head(qc, qr, kc, value, kr, visible, scale):
    """One head of one sample; kr is the sample's, all the rest the head's."""
    logits = (qc @ kc.T + qr @ kr.T) * scale
    logits = torch.where(visible, logits, torch.full_like(logits, -math.inf))
    return torch.softmax(logits, dim=-1) @ value


per_head = vmap(head, in_dims=(0, 0, 0, 0, None, None, None))
per_sample = vmap(per_head, in_dims=(0, 0, 0, 0, 0, None, None))


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.dims = dict(heads=num_heads, content=head_dim, rope=rope_dim, latent=latent_dim)
        inner = num_heads * head_dim
        self.query_content = nn.Linear(hidden_dim, inner)
        self.query_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, inner)
        self.value_up = nn.Linear(latent_dim, inner)
        self.out = nn.Linear(inner, hidden_dim)

    def split(self, t):
        return t.unflatten(-1, (self.dims["heads"], -1)).transpose(1, 2)

    def forward(self, x, cache=None):
        n = x.shape[1]
        past = 0 if cache is None else cache["latent"].shape[1]
        table = rope_table(past, n, self.dims["rope"], x.device)

        new = {"latent": self.kv_down(x), "key_rope": apply_rope(self.key_rope(x), table)}
        if cache is not None:
            new = {name: torch.cat((cache[name], part), dim=1) for name, part in new.items()}

        qc = self.split(self.query_content(x))
        qr = apply_rope(self.split(self.query_rope(x)), table)
        kc = self.split(self.key_up(new["latent"]))
        value = self.split(self.value_up(new["latent"]))

        total = past + n
        at = torch.arange(total, device=x.device)
        visible = at[None, :] <= at[past:, None]
        scale = (self.dims["content"] + self.dims["rope"]) ** -0.5
        ctx = per_sample(qc, qr, kc, value, new["key_rope"], visible, scale)
        return self.out(ctx.transpose(1, 2).flatten(2)), new
