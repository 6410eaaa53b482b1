"""Llama-like attention where rotation is a complex multiplication, on halves."""
import torch
from torch import nn


def spin(x, start, base):
    d2 = x.shape[-1] // 2
    real = torch.float64 if x.dtype is torch.float64 else torch.float32
    freq = base ** (-torch.arange(d2, dtype=torch.float64, device=x.device) / d2)
    pos = torch.arange(start, start + x.shape[-2], dtype=torch.float64, device=x.device)
    ang = pos[:, None] * freq
    unit = torch.polar(torch.ones_like(ang), ang)
    z = torch.complex(*x.to(real).chunk(2, -1)) * unit.to(torch.complex128 if real is torch.float64 else torch.complex64)
    return torch.cat([z.real, z.imag], -1).to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.hd = hidden_dim // num_heads
        self.nq, self.nkv, self.base = num_heads, num_kv_heads, float(base)
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hd, bias=False)
        self.wo = nn.Linear(num_heads * self.hd, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        all_heads = self.wqkv(x).view(b, t, -1, self.hd).transpose(1, 2)
        q, k, v = all_heads.split([self.nq, self.nkv, self.nkv], dim=1)
        if cache is not None:  # raw keys are kept, and rotated anew each time
            k = torch.cat([cache["raw_k"], k], dim=2)
            v = torch.cat([cache["v"], v], dim=2)
        new_cache = {"raw_k": k, "v": v}
        s = k.shape[2]
        q = spin(q, s - t, self.base)
        k = spin(k, 0, self.base)
        q = q.reshape(b, self.nkv, self.nq // self.nkv * t, self.hd)  # fold a group's heads into the rows
        att = (q @ k.transpose(-1, -2)) / self.hd**0.5
        att = att.view(b, self.nkv, -1, t, s)
        rows = torch.arange(s - t, s, device=x.device)
        att = att.masked_fill(rows[:, None] < torch.arange(s, device=x.device), float("-inf"))
        att = att.softmax(-1).view(b, self.nkv, -1, s)
        out = (att @ v).view(b, self.nq, t, self.hd)
        return self.wo(out.transpose(1, 2).reshape(b, t, -1)), new_cache
