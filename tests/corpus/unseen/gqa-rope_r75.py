import math
from functools import partial

import torch
from torch import nn
from torch.func import vmap


def angles(positions, half, base):
    return positions.float().unsqueeze(-1) * torch.exp(torch.arange(half, device=positions.device).float() * (-math.log(base) / half))


def rotate(theta, x):
    # (T, d): a rotation of the plane (first half, second half), as a stacked 2 x 2 product
    c, s = torch.cos(theta), torch.sin(theta)
    m = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2).to(x.dtype)  # (T, half, 2, 2)
    pair = x.unflatten(-1, (2, -1)).transpose(-1, -2).unsqueeze(-1)                        # (T, half, 2, 1)
    return (m @ pair).squeeze(-1).transpose(-1, -2).flatten(-2)


def attend(keep, q, k, v):
    s = torch.where(keep, q @ k.T / q.shape[-1] ** 0.5, -torch.inf)
    return torch.softmax(s, -1) @ v


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        d = hidden_dim // num_heads
        self.base = base
        self.w_q = nn.Parameter(torch.randn(hidden_dim, num_heads, d) / hidden_dim**0.5)
        self.w_k = nn.Parameter(torch.randn(hidden_dim, num_kv_heads, d) / hidden_dim**0.5)
        self.w_v = nn.Parameter(torch.randn(hidden_dim, num_kv_heads, d) / hidden_dim**0.5)
        self.w_o = nn.Parameter(torch.randn(num_heads, d, hidden_dim) / hidden_dim**0.5)

    def forward(self, x, cache=None):
        q, k, v = (torch.einsum("btm,mhd->bhtd", x, w) for w in (self.w_q, self.w_k, self.w_v))
        past, n = (0 if cache is None else cache["length"]), x.shape[1]
        pos = torch.arange(past, past + n, device=x.device)
        spin = partial(rotate, angles(pos, q.shape[-1] // 2, self.base))
        q, k = vmap(vmap(spin))(q), vmap(vmap(spin))(k)
        if cache is not None:
            k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
        keep = torch.arange(past + n, device=x.device) <= pos[:, None]
        grouped = q.unflatten(1, (k.shape[1], -1))                               # b g r t d
        over_members = vmap(partial(attend, keep), in_dims=(0, None, None))
        y = vmap(vmap(over_members))(grouped, k, v).flatten(1, 2)
        return torch.einsum("bhtd,hdm->btm", y, self.w_o), {"k": k, "v": v, "length": past + n}
