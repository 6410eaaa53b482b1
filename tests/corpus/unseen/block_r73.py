import math

import torch
from torch import nn

SQRT_HALF = math.sqrt(0.5)


# everything spelled out: no nn.Linear, no nn.LayerNorm, no nn.GELU
def layer_norm(x, scale, bias, eps=1e-5):
    mu = x.mean(dim=-1, keepdim=True)
    centred = x - mu
    var = (centred * centred).mean(dim=-1, keepdim=True)
    return centred * torch.rsqrt(var + eps) * scale + bias


def gelu(x):
    return 0.5 * x * (1.0 + torch.erf(x * SQRT_HALF))


def causal_attention(x, wqkv, wo, heads):
    q, k, v = (torch.einsum("btm,mn->btn", x, w).unflatten(-1, (heads, -1)) for w in wqkv)
    s = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.shape[-1])
    t = torch.arange(x.shape[1], device=x.device)
    s = torch.where(t[:, None] >= t[None, :], s, -torch.inf)
    return torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v).flatten(2) @ wo


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d, f = hidden_dim, 4 * hidden_dim
        normal = lambda *s: nn.Parameter(torch.randn(*s) * s[-2] ** -0.5)
        self.num_heads = num_heads
        self.wqkv, self.wo = normal(3, d, d), normal(d, d)
        self.w1, self.w2 = normal(d, f), normal(f, d)
        self.b1, self.b2 = nn.Parameter(torch.zeros(f)), nn.Parameter(torch.zeros(d))
        for n in ("ln1", "ln2"):
            self.register_parameter(n + "_scale", nn.Parameter(torch.ones(d)))
            self.register_parameter(n + "_bias", nn.Parameter(torch.zeros(d)))

    def forward(self, x):
        x = x + causal_attention(layer_norm(x, self.ln1_scale, self.ln1_bias), self.wqkv, self.wo, self.num_heads)
        h = layer_norm(x, self.ln2_scale, self.ln2_bias)
        return x + gelu(h @ self.w1 + self.b1) @ self.w2 + self.b2
