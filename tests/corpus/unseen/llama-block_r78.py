# attn-kata: llama-block
import torch
import torch.nn.functional as F
from torch import nn


class LlamaBlock(nn.Module):
    """raw weights, as a checkpoint would list them; F.linear everywhere"""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.hd = hidden_dim // num_heads
        self.nh, self.nkv = num_heads, num_kv_heads
        shapes = {
            "wq": (num_heads * self.hd, hidden_dim), "wkv": (2 * num_kv_heads * self.hd, hidden_dim),
            "wo": (hidden_dim, num_heads * self.hd),
            "w13": (2 * mlp_dim, hidden_dim), "w2": (hidden_dim, mlp_dim),
        }
        for k, s in shapes.items():
            setattr(self, k, nn.Parameter(torch.randn(s) * s[1] ** -0.5))
        self.norm1 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.norm2 = nn.RMSNorm(hidden_dim, eps=1e-5)

    def rot(self, t, cos, sin):
        # t: b n h d
        a, b = t.unflatten(-1, (2, -1)).unbind(-2)
        c, s = cos[:, None].to(t.dtype), sin[:, None].to(t.dtype)
        return torch.cat((a * c - b * s, a * s + b * c), -1)

    def attention(self, u, cos, sin):
        b, n, _ = u.shape
        q = F.linear(u, self.wq).view(b, n, self.nh, self.hd)
        k, v = F.linear(u, self.wkv).view(b, n, 2, self.nkv, self.hd).unbind(2)
        q, k = self.rot(q, cos, sin), self.rot(k, cos, sin)
        q = q.view(b, n, self.nkv, self.nh // self.nkv, self.hd)
        s = torch.einsum("bigrd,bjgd->bgrij", q, k) / self.hd ** 0.5
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=u.device).triu(1), -torch.inf)
        y = torch.einsum("bgrij,bjgd->bigrd", s.softmax(-1), v)
        return F.linear(y.reshape(b, n, -1), self.wo)

    def forward(self, x, cos, sin):
        h = x + self.attention(self.norm1(x), cos, sin)
        gate, up = F.linear(self.norm2(h), self.w13).chunk(2, -1)
        return h + F.linear(F.silu(gate) * up, self.w2)
