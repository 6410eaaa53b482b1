# wrong: llama-block scale-by-hidden-dim line 16
import torch
from torch import nn
from torch.nn import functional as F


class LlamaBlock(nn.Module):
    """Everything in one class, weights as plain parameters (out, in)."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.h, self.g = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        kv_width = num_kv_heads * self.d
        self.widths = (hidden_dim, kv_width, kv_width)
        self.scale = (hidden_dim // num_kv_heads) ** -0.5

        def weight(rows, cols):
            return nn.Parameter(torch.empty(rows, cols).normal_(std=cols ** -0.5))

        self.qkv = weight(sum(self.widths), hidden_dim)
        self.out = weight(hidden_dim, hidden_dim)
        self.gate_up = weight(2 * mlp_dim, hidden_dim)
        self.down = weight(hidden_dim, mlp_dim)
        self.norm1 = nn.Parameter(torch.ones(hidden_dim))
        self.norm2 = nn.Parameter(torch.ones(hidden_dim))

    def rmsnorm(self, u, w):
        return w * u / torch.sqrt(u.square().mean(dim=-1, keepdim=True) + 1e-5)

    def rope(self, t, cos, sin):
        lo, hi = t.unflatten(-1, (2, -1)).unbind(-2)
        return torch.stack((lo * cos - hi * sin, hi * cos + lo * sin), -2).flatten(-2)

    def attend(self, u, cos, sin):
        q, k, v = F.linear(u, self.qkv).split(self.widths, dim=-1)
        q = q.unflatten(-1, (self.h, self.d)).transpose(1, 2)
        k = k.unflatten(-1, (self.g, self.d)).transpose(1, 2)
        v = v.unflatten(-1, (self.g, self.d)).transpose(1, 2)
        q, k = self.rope(q, cos, sin), self.rope(k, cos, sin)
        k = k.repeat_interleave(self.h // self.g, dim=1)
        v = v.repeat_interleave(self.h // self.g, dim=1)
        s = torch.einsum("bhtd,bhsd->bhts", q, k) * self.scale
        t = torch.arange(u.size(1), device=u.device)
        s = s.masked_fill(t[None, :] > t[:, None], float("-inf"))
        o = torch.einsum("bhts,bhsd->bthd", s.softmax(dim=-1), v)
        return F.linear(o.flatten(2), self.out)

    def forward(self, x, cos, sin):
        cos, sin = cos.to(x), sin.to(x)
        x = x + self.attend(self.rmsnorm(x, self.norm1), cos, sin)
        gate, up = F.linear(self.rmsnorm(x, self.norm2), self.gate_up).chunk(2, dim=-1)
        return x + F.linear(F.silu(gate) * up, self.down)
