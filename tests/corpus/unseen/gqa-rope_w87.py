import torch
from torch import nn, Tensor


def rotate(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = t.size(-1) // 2
    a, b = t[..., :half], t[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_q, self.n_kv = num_heads, num_kv_heads
        self.dh = hidden_dim // num_heads
        self.lin_q = nn.Linear(hidden_dim, self.n_q * self.dh)
        self.lin_k = nn.Linear(hidden_dim, self.n_kv * self.dh)
        self.lin_v = nn.Linear(hidden_dim, self.n_kv * self.dh)
        self.lin_o = nn.Linear(self.n_q * self.dh, hidden_dim)
        self.base = float(base)

    def _angles(self, begin, end, like):
        i = torch.arange(self.dh // 2, device=like.device, dtype=torch.float32)
        p = torch.arange(begin, end, device=like.device, dtype=torch.float32)
        theta = torch.outer(p, self.base ** (-2 * i / self.dh))
        return theta.cos().to(like.dtype), theta.sin().to(like.dtype)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        begin = 0 if cache is None else cache["len"]
        q = self.lin_q(x).view(B, T, self.n_q, self.dh).transpose(1, 2)
        k = self.lin_k(x).view(B, T, self.n_kv, self.dh).transpose(1, 2)
        v = self.lin_v(x).view(B, T, self.n_kv, self.dh).transpose(1, 2)
        cs = self._angles(begin, begin + T, x)
        q, k = rotate(q, *cs), rotate(k, *cs)
        if cache is not None:
            k = torch.cat([cache["k"], k], dim=-2)
            v = torch.cat([cache["v"], v], dim=-2)
        k = k.repeat_interleave(self.n_q // self.n_kv, dim=1)
        v = v.repeat_interleave(self.n_q // self.n_kv, dim=1)
        new_cache = {"k": k, "v": v, "len": begin + T}
        s = q @ k.mT / self.dh ** 0.5
        hide = torch.ones(T, begin + T, dtype=torch.bool, device=x.device).triu(begin + 1)
        w = s.masked_fill(hide, float("-inf")).softmax(-1)
        return self.lin_o((w @ v).transpose(1, 2).reshape(B, T, -1)), new_cache
