import torch
from torch import nn

EPS = 1e-5


def rms(u, weight):
    return u * (u.square().mean(-1, keepdim=True) + EPS).rsqrt() * weight


class LlamaBlock(nn.Module):
    """All raw parameters, written as (out, in), in one dictionary."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.H, self.K, self.D = num_heads, num_kv_heads, hidden_dim // num_heads
        shapes = dict(
            q=(num_heads, self.D, hidden_dim), k=(num_kv_heads, self.D, hidden_dim),
            v=(num_kv_heads, self.D, hidden_dim), o=(hidden_dim, num_heads, self.D),
            gate=(mlp_dim, hidden_dim), up=(mlp_dim, hidden_dim), down=(hidden_dim, mlp_dim),
        )
        self.w = nn.ParameterDict({n: torch.randn(s) * hidden_dim**-0.5 for n, s in shapes.items()})
        self.g = nn.ParameterList([torch.ones(hidden_dim), torch.ones(hidden_dim)])

    @staticmethod
    def rotate(t, cos, sin):
        # pairs (i, i + D/2) as a 2 x 2 matrix applied to a new axis of two
        pair = torch.stack(t.chunk(2, -1), -1)
        matrix = torch.stack([torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)], -2)
        return torch.einsum("tirs,bhtis->bhtri", matrix, pair).flatten(-2)

    def forward(self, x, cos, sin):
        T = x.shape[1]
        u = rms(x, self.g[0])
        q = self.rotate(torch.einsum("btc,hdc->bhtd", u, self.w["q"]), cos, sin)
        k = self.rotate(torch.einsum("btc,hdc->bhtd", u, self.w["k"]), cos, sin)
        v = torch.einsum("btc,hdc->bhtd", u, self.w["v"])
        owner = torch.arange(self.H, device=x.device) // (self.H // self.K)
        k, v = k[:, owner], v[:, owner]
        s = (q @ k.mT) / self.D**0.5
        seen = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        y = torch.where(seen, s, torch.finfo(s.dtype).min).softmax(-1) @ v
        h = x + torch.einsum("bhtd,chd->btc", y, self.w["o"])
        u = rms(h, self.g[1])
        gate = u @ self.w["gate"].T
        return h + (gate * gate.sigmoid() * (u @ self.w["up"].T)) @ self.w["down"].T
