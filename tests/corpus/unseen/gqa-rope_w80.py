import torch
from torch import nn, Tensor


class Rotary(nn.Module):
    def __init__(self, dim: int, base: float):
        super().__init__()
        self.dim, self.base = dim, base

    def inv_freq(self, device) -> Tensor:
        exponent = torch.arange(self.dim // 2, dtype=torch.float32, device=device) / self.dim
        return self.base**-exponent

    def forward(self, x: Tensor, start: int) -> Tensor:
        t = torch.arange(start, start + x.shape[-2], device=x.device, dtype=torch.float32)
        theta = t[:, None] * self.inv_freq(x.device)
        a, b = x.chunk(2, dim=-1)
        c, s = theta.cos().to(x.dtype), theta.sin().to(x.dtype)
        return torch.cat((a * c - b * s, b * c + a * s), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.h, self.g, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, (self.h + 2 * self.g) * self.d)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.rotary = Rotary(self.d, base)

    def forward(self, x, cache=None):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, -1, self.d).transpose(1, 2).split([self.h, self.g, self.g], dim=1)
        past = cache[0].shape[2] if cache is not None else 0
        q, k = self.rotary(q, past), self.rotary(k, past)
        if past:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        q = q.unflatten(1, (self.g, -1))
        s = torch.einsum("bgrtd,bgsd->bgrts", q, k) * self.d**-0.5
        later = torch.ones(t, past + t, device=x.device, dtype=torch.bool).triu(past + 1)
        y = torch.einsum("bgrts,bgsd->btgrd", s.masked_fill(later, -torch.inf).softmax(-1), v)
        return self.out(y.reshape(b, t, c)), (k, v)
