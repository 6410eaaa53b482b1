# wrong: gqa-rope kv-heads-tiled line 34
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.n, self.m, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.w_q = nn.Parameter(torch.randn(hidden_dim, num_heads * self.d) * 0.05)
        self.w_k = nn.Parameter(torch.randn(hidden_dim, num_kv_heads * self.d) * 0.05)
        self.w_v = nn.Parameter(torch.randn(hidden_dim, num_kv_heads * self.d) * 0.05)
        self.w_o = nn.Parameter(torch.randn(num_heads * self.d, hidden_dim) * 0.05)
        self.register_buffer("freq", base ** (-torch.arange(0, self.d, 2).double() / self.d), persistent=False)

    def turn(self, x, past):
        where = torch.arange(past, past + x.shape[2], device=x.device)
        a = where[:, None] * self.freq
        a = torch.cat((a, a), -1)
        return x * a.cos().to(x.dtype) + torch.cat(x.chunk(2, -1)[::-1], -1) * a.sin().to(x.dtype) * self.signs(x)

    def signs(self, x):
        half = torch.ones(self.d // 2, device=x.device, dtype=x.dtype)
        return torch.cat((-half, half))

    def forward(self, x, cache=None):
        q = (x @ self.w_q).unflatten(-1, (-1, self.d)).transpose(1, 2)
        k = (x @ self.w_k).unflatten(-1, (-1, self.d)).transpose(1, 2)
        v = (x @ self.w_v).unflatten(-1, (-1, self.d)).transpose(1, 2)
        past = 0 if cache is None else cache[0].shape[2]
        q, k = self.turn(q, past), self.turn(k, past)
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        k_full = k.repeat(1, self.n // self.m, 1, 1)
        v_full = v.repeat(1, self.n // self.m, 1, 1)
        s = torch.einsum("bhtd,bhsd->bhts", q, k_full) * self.d**-0.5
        s = s.masked_fill(torch.ones_like(s).tril(past) == 0, torch.finfo(s.dtype).min)
        y = torch.einsum("bhts,bhsd->bhtd", s.softmax(-1), v_full)
        return y.transpose(1, 2).flatten(2) @ self.w_o, (k, v)
