# b batch, s/t positions of query/key, g kv heads, r query heads of a group, c features, z mlp
import torch
from torch import nn


def rms(u, gain):
    return u * (u.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * gain


def swish(z):
    return z * z.sigmoid()


def turn(u, cos, sin):
    """u (..., positions, c), the two halves of c as the two entries of a pair"""
    pair = u.unflatten(-1, (2, -1))
    a, b = pair.unbind(-2)
    return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-2).flatten(-2)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        c = hidden_dim // num_heads
        g, r = num_kv_heads, num_heads // num_kv_heads
        std = hidden_dim**-0.5
        W = lambda *shape: nn.Parameter(std * torch.randn(shape))
        self.wq, self.wk, self.wv = W(g, r, c, hidden_dim), W(g, c, hidden_dim), W(g, c, hidden_dim)
        self.wo = W(hidden_dim, g, r, c)
        self.gate, self.up, self.down = W(mlp_dim, hidden_dim), W(mlp_dim, hidden_dim), W(hidden_dim, mlp_dim)
        self.gain = nn.Parameter(torch.ones(2, hidden_dim))

    def attention(self, u, cos, sin):
        q = turn(torch.einsum("bsm,grcm->bgrsc", u, self.wq), cos, sin)
        k = turn(torch.einsum("btm,gcm->bgtc", u, self.wk), cos, sin)
        v = torch.einsum("btm,gcm->bgtc", u, self.wv)
        scores = torch.einsum("bgrsc,bgtc->bgrst", q, k) / q.shape[-1] ** 0.5
        n = u.shape[1]
        seen = torch.ones(n, n, dtype=torch.bool, device=u.device).tril()
        weights = torch.where(seen, scores, float("-inf")).softmax(-1)
        return torch.einsum("bgrst,bgtc,mgrc->bsm", weights, v, self.wo)

    def mlp(self, u):
        return (swish(u @ self.gate.T) * (u @ self.up.T)) @ self.down.T

    def forward(self, x, cos, sin):
        first, second = self.gain
        h = x + self.attention(rms(x, first), cos.type_as(x), sin.type_as(x))
        return h + self.mlp(rms(h, second))
