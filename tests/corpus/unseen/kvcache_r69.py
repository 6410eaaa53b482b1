import torch
from torch import nn
from torch.func import vmap


def one_head(q, kt, v, pos):
    """q (n, e), kt (e, m) already divided by sqrt(e), v (m, e), pos (n,)"""
    s = q @ kt
    visible = torch.arange(kt.shape[1], device=q.device) <= pos.unsqueeze(1)
    return torch.where(visible, s, torch.finfo(s.dtype).min).softmax(1) @ v


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.e = e = hidden_dim // num_heads
        # first axis: role (K, V, Q); bias of each head beside its matrix
        self.A = nn.Parameter(torch.randn(3, num_heads, hidden_dim, e) / hidden_dim**0.5)
        self.a = nn.Parameter(torch.zeros(3, num_heads, 1, e))
        self.B = nn.Parameter(torch.randn(num_heads, e, hidden_dim) / hidden_dim**0.5)
        self.b = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x, cache=None):
        k, v, q = x[None, :, None] @ self.A[:, None] + self.a[:, None]    # each (B, H, n, e)
        kt = k.mT * self.e**-0.5                                           # kept transposed and scaled
        past = 0
        if cache is not None:
            past = cache["v"].size(2)
            kt = torch.cat([cache["k"], kt], 3)
            v = torch.cat([cache["v"], v], 2)
        pos = torch.arange(past, past + x.size(1), device=x.device)

        heads = vmap(vmap(one_head, (0, 0, 0, None)), (0, 0, 0, None))(q, kt, v, pos)
        y = torch.einsum("bhne,hed->bnd", heads, self.B) + self.b
        return y, dict(k=kt, v=v)
