import torch
from torch import nn
import torch.nn.functional as F


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.h, self.g = num_heads, num_kv_heads
        d = hidden_dim // num_heads
        W = lambda rows, cols: nn.Parameter(torch.randn(rows, cols) * cols**-0.5)
        self.wq, self.wk, self.wv = W(hidden_dim, hidden_dim), W(num_kv_heads * d, hidden_dim), W(num_kv_heads * d, hidden_dim)
        self.wo = W(hidden_dim, hidden_dim)
        self.w1, self.w3, self.w2 = W(mlp_dim, hidden_dim), W(mlp_dim, hidden_dim), W(hidden_dim, mlp_dim)
        self.n1 = nn.Parameter(torch.ones(hidden_dim))
        self.n2 = nn.Parameter(torch.ones(hidden_dim))

    def rms(self, u, w):
        return F.rms_norm(u, w.shape, w, 1e-5)

    def turn(self, t, cos, sin):
        """t (batch, length, heads, head_dim)"""
        c, s = cos[:, None], sin[:, None]
        a, b = t.unflatten(-1, (2, -1)).unbind(-2)
        a = a * c - b * s
        b = b * c + a * s
        return torch.stack((a, b), dim=-2).flatten(-2)

    def attention(self, u, cos, sin):
        q = self.turn(F.linear(u, self.wq).unflatten(-1, (self.h, -1)), cos, sin)
        k = self.turn(F.linear(u, self.wk).unflatten(-1, (self.g, -1)), cos, sin)
        v = F.linear(u, self.wv).unflatten(-1, (self.g, -1))
        q = q.unflatten(2, (self.g, -1))
        att = torch.einsum("bigrd,bjgd->bgrij", q, k).div(q.size(-1) ** 0.5)
        i = torch.arange(u.size(1), device=u.device)
        att = att.masked_fill(i > i[:, None], -torch.inf).softmax(-1)
        return F.linear(torch.einsum("bgrij,bjgd->bigrd", att, v).flatten(2), self.wo)

    def forward(self, x, cos, sin):
        x = x + self.attention(self.rms(x, self.n1), cos, sin)
        u = self.rms(x, self.n2)
        return x + F.linear(F.silu(F.linear(u, self.w1)) * F.linear(u, self.w3), self.w2)
