import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, u):
        return self.weight * (u * torch.rsqrt(u.pow(2).mean(-1, keepdim=True) + 1e-5))


class SwiGLU(nn.Module):
    """Long inputs go through in pieces, since the inner width needs the most memory."""

    PIECE = 128

    def __init__(self, dim, inner):
        super().__init__()
        self.w1, self.w3 = nn.Linear(dim, inner, bias=False), nn.Linear(dim, inner, bias=False)
        self.w2 = nn.Linear(inner, dim, bias=False)

    def _piece(self, u):
        g = self.w1(u)
        return self.w2(g * g.sigmoid() * self.w3(u))

    def forward(self, u):
        n = u.shape[1]
        if n <= self.PIECE:
            return self._piece(u)
        out = torch.zeros_like(u)
        for end in range(self.PIECE, n + 1, self.PIECE):
            start = end - self.PIECE
            out[:, start:end] = self._piece(u[:, start:end])
        return out


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.nq, self.nk, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.d, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.attention_norm, self.ffn_norm = RMSNorm(hidden_dim), RMSNorm(hidden_dim)
        self.ffn = SwiGLU(hidden_dim, mlp_dim)

    def _rope(self, t, cos, sin):
        cos, sin = torch.cat([cos, cos], -1)[:, None], torch.cat([sin, sin], -1)[:, None]
        a, b = t.chunk(2, dim=-1)
        return t * cos + torch.cat([-b, a], dim=-1) * sin

    def _attend(self, u, cos, sin):
        b, n, c = u.shape
        q, k, v = self.wqkv(u).view(b, n, -1, self.d).split([self.nq, self.nk, self.nk], dim=2)
        q, k = self._rope(q, cos, sin), self._rope(k, cos, sin)
        q = q.reshape(b, n, self.nk, self.nq // self.nk, self.d)
        s = torch.einsum("bigrd,bjgd->bgrij", q, k) / self.d ** 0.5
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=u.device).triu(1), float("-inf"))
        return self.wo(torch.einsum("bgrij,bjgd->bigrd", s.softmax(-1), v).reshape(b, n, c))

    def forward(self, x, cos, sin):
        h = x + self._attend(self.attention_norm(x), cos, sin)
        return h + self.ffn(self.ffn_norm(h))
