"""JAX habits: a flat dict of arrays, pure functions, the module is only a shell."""
import torch
from torch import nn


def rms(u, w, eps=1e-5):
    return w * (u / torch.sqrt(torch.mean(torch.square(u), -1, keepdim=True) + eps))


def rope(x, cos, sin):
    # x: b t g r d (r may be missing); cos, sin: t d/2
    shape = (1, cos.shape[0]) + (1,) * (x.ndim - 3) + (cos.shape[1],)
    c, s = cos.reshape(shape), sin.reshape(shape)
    a, b = x.chunk(2, -1)
    return torch.cat([a * c - b * s, b * c + a * s], -1)


def attention(p, u, cos, sin):
    q = rope(torch.einsum("btc,cgrd->btgrd", u, p["wq"]), cos, sin)
    k = rope(torch.einsum("btc,cgd->btgd", u, p["wk"]), cos, sin)
    v = torch.einsum("btc,cgd->btgd", u, p["wv"])
    s = torch.einsum("bigrd,bjgd->bgrij", q, k) / q.shape[-1] ** 0.5
    n = s.shape[-1]
    s = s + torch.triu(torch.full((n, n), float("-inf"), dtype=s.dtype, device=s.device), 1)
    return torch.einsum("bgrij,bjgd,grdc->bic", torch.softmax(s, -1), v, p["wo"])


def mlp(p, u):
    g, up = torch.einsum("btc,zcm->zbtm", u, p["w_in"])
    return (g * torch.sigmoid(g) * up) @ p["w_out"]


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        d, g, r = hidden_dim // num_heads, num_kv_heads, num_heads // num_kv_heads
        init = lambda *s, fan: nn.Parameter(torch.randn(*s) / fan**0.5)
        self.params = nn.ParameterDict(dict(
            n1=nn.Parameter(torch.ones(hidden_dim)),
            n2=nn.Parameter(torch.ones(hidden_dim)),
            wq=init(hidden_dim, g, r, d, fan=hidden_dim),
            wk=init(hidden_dim, g, d, fan=hidden_dim),
            wv=init(hidden_dim, g, d, fan=hidden_dim),
            wo=init(g, r, d, hidden_dim, fan=hidden_dim),
            w_in=init(2, hidden_dim, mlp_dim, fan=hidden_dim),
            w_out=init(mlp_dim, hidden_dim, fan=mlp_dim),
        ))

    def forward(self, x, cos, sin):
        p = self.params
        h = x + attention(p, rms(x, p["n1"]), cos, sin)
        return h + mlp(p, rms(h, p["n2"]))
