# right: gqa-rope
import torch
from torch import nn, Tensor
from typing import Any


def rotation_matrices(positions: Tensor, dim: int, base: float) -> Tensor:
    """(len(positions), dim, dim): one rotation for each position; R @ x turns x."""
    half = dim // 2
    lo = torch.arange(half, device=positions.device)
    hi = lo + half
    theta = torch.as_tensor(base, dtype=torch.float64) ** (-2.0 * lo / dim)
    phi = positions.to(torch.float64)[:, None] * theta
    R = phi.new_zeros(len(positions), dim, dim)
    R[:, lo, lo] = phi.cos()
    R[:, lo, hi] = -phi.sin()
    R[:, hi, lo] = phi.sin()
    R[:, hi, hi] = phi.cos()
    return R


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.base = base
        self.d = d = hidden_dim // num_heads
        self.out = nn.Linear(num_heads * d, hidden_dim, bias=False)
        self.vk = nn.Linear(hidden_dim, 2 * num_kv_heads * d, bias=False)  # values first, then keys
        self.q = nn.Linear(hidden_dim, num_heads * d, bias=True)
        self.register_buffer("kv_of_head", torch.arange(num_heads) // (num_heads // num_kv_heads), persistent=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, n = x.shape[0], x.shape[1]
        q = self.q(x).reshape(b, n, -1, self.d)
        v, k = self.vk(x).chunk(2, dim=-1)
        v = v.reshape(b, n, -1, self.d)
        k = k.reshape(b, n, -1, self.d)

        past_len = 0
        if cache is not None:
            past_len = cache["seen"]
        pos = torch.arange(n, device=x.device) + past_len
        R = rotation_matrices(pos, self.d, self.base).to(x.dtype)
        q = torch.einsum("nij,bnhj->bnhi", R, q)
        k = torch.einsum("nij,bnhj->bnhi", R, k)

        if cache is not None:
            k = torch.cat([cache["k"], k], 1)
            v = torch.cat([cache["v"], v], 1)
        new_cache = dict(k=k, v=v, seen=past_len + n)

        k = torch.index_select(k, 2, self.kv_of_head)
        v = torch.index_select(v, 2, self.kv_of_head)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k).div(self.d ** 0.5)
        allowed = torch.arange(past_len + n, device=x.device).le(pos.unsqueeze(1))
        s = s.masked_fill(allowed.logical_not(), -torch.inf)
        p = torch.softmax(s, -1)
        o = torch.einsum("bhqk,bkhd->bqhd", p, v)
        return self.out(o.reshape(b, n, -1)), new_cache
