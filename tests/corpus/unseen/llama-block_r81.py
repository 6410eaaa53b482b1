"""Pure functions over a ParameterDict; gate and up columns are interleaved."""
import torch
from torch import nn
from functools import partial


def rms(u, g, eps=1e-5):
    ms = torch.linalg.vector_norm(u, dim=-1, keepdim=True).square() / u.shape[-1]
    return u * torch.rsqrt(ms + eps) * g


def spin(t, cos, sin):
    # t (B, T, heads, d); as a 2x2 matrix per pair
    m = torch.stack([torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)], -2)  # (T, d/2, 2, 2)
    pairs = torch.stack(t.chunk(2, -1), -1)
    return torch.einsum("tpij,bthpj->bthip", m.to(t.dtype), pairs).flatten(-2)


def attention(u, w, n_kv, d, cos, sin):
    T = u.shape[1]
    cut = lambda name: (u @ w[name]).unflatten(-1, (-1, d))
    q, k, v = spin(cut("q"), cos, sin), spin(cut("k"), cos, sin), cut("v")
    q = q.unflatten(2, (n_kv, -1))
    s = torch.einsum("bqgrd,bkgd->bgrqk", q, k) * d ** -0.5
    ok = torch.ones(T, T, dtype=torch.bool, device=u.device).tril()
    p = torch.where(ok, s, torch.finfo(s.dtype).min).softmax(-1)
    return torch.einsum("bgrqk,bkgd->bqgrd", p, v).flatten(2) @ w["o"]


def mlp(u, w):
    gate, up = (u @ w["gu"]).unflatten(-1, (-1, 2)).unbind(-1)
    return (gate * gate.sigmoid() * up) @ w["down"]


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        d = hidden_dim // num_heads
        kv = num_kv_heads * d
        sizes = dict(q=(hidden_dim, hidden_dim), k=(hidden_dim, kv), v=(hidden_dim, kv), o=(hidden_dim, hidden_dim),
                     gu=(hidden_dim, 2 * mlp_dim), down=(mlp_dim, hidden_dim))
        self.w = nn.ParameterDict({n: nn.Parameter(torch.randn(s) * s[0] ** -0.5) for n, s in sizes.items()})
        self.w["n1"] = nn.Parameter(torch.ones(hidden_dim))
        self.w["n2"] = nn.Parameter(torch.ones(hidden_dim))
        self.attend = partial(attention, n_kv=num_kv_heads, d=d)

    def forward(self, x, cos, sin):
        x = x + self.attend(rms(x, self.w["n1"]), self.w, cos=cos, sin=sin)
        return x + mlp(rms(x, self.w["n2"]), self.w)
