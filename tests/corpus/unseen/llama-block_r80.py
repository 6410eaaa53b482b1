import torch
from torch import nn

silu = lambda z: z * torch.sigmoid(z)  # noqa: E731


class Scale(nn.Module):
    """RMSNorm"""

    def __init__(self, dim, **kw):
        super().__init__()
        self.eps = kw.get("eps", 1e-5)
        self.g = nn.Parameter(torch.ones(dim))

    def forward(self, u):
        return u / (u * u).mean(-1, keepdim=True).add(self.eps).sqrt() * self.g


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim, **kw):
        super().__init__()
        self.kv, self.rep = num_kv_heads, num_heads // num_kv_heads
        self.hd = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hd, bias=kw.get("bias", False))
        self.wo = nn.Linear(num_heads * self.hd, hidden_dim, bias=kw.get("bias", False))
        self.w13 = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.w2 = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.sa_norm, self.mlp_norm = (Scale(hidden_dim, **kw) for _ in range(2))

    def attention(self, h, cos, sin):
        heads = self.wqkv(h).unflatten(-1, (-1, self.hd))
        q, k, v = heads.split([self.kv * self.rep, self.kv, self.kv], dim=2)
        table = torch.stack([torch.stack([cos, -sin]), torch.stack([sin, cos])])  # out, in, t, pair
        q, k = (
            torch.einsum("oitp,bthip->bthop", table, t.unflatten(-1, (2, -1))).flatten(-2) for t in (q, k)
        )
        s = torch.einsum("btgrd,bsgd->bgrts", q.unflatten(2, (self.kv, self.rep)), k) * self.hd ** -0.5
        s = torch.where(torch.ones_like(s, dtype=torch.bool).tril(), s, float("-inf"))
        return self.wo(torch.einsum("bgrts,bsgd->btgrd", s.softmax(-1), v).flatten(2))

    def mlp(self, h):
        gate, up = self.w13(h).chunk(2, dim=-1)
        return self.w2(silu(gate) * up)

    def branches(self, cos, sin):
        """Each is a norm and what reads from it."""
        yield self.sa_norm, lambda h: self.attention(h, cos, sin)
        yield self.mlp_norm, self.mlp

    def forward(self, x, cos, sin):
        for norm, branch in self.branches(cos, sin):
            x = x + branch(norm(x))
        return x
