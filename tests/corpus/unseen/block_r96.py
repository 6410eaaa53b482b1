"""pre-norm block, JAX habits: pure functions of one sequence, batched with vmap"""
import torch
from torch import nn


def layer_norm(p, x):
    mu = x.mean(-1, keepdim=True)
    var = torch.var(x, -1, unbiased=False, keepdim=True)
    return (x - mu) * torch.rsqrt(var + 1e-5) * p


def attention_head(wq, wk, wv, x):  # x: t c, w: c d
    q, k, v = x @ wq, x @ wk, x @ wv
    t = x.shape[0]
    s = (q @ k.T) / wq.shape[1] ** 0.5
    future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
    return torch.where(future, -torch.inf, s).softmax(-1) @ v


def sequence(params, x):
    wq, wk, wv, wo, up, down, g1, g2 = params
    h = layer_norm(g1, x)
    heads = torch.vmap(attention_head, in_dims=(0, 0, 0, None))(wq, wk, wv, h)  # h t d
    x = x + torch.einsum("htd,hdc->tc", heads, wo)
    h = layer_norm(g2, x)
    return x + nn.functional.gelu(h @ up) @ down


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        c, h, d = hidden_dim, num_heads, hidden_dim // num_heads
        rand = lambda *shape: nn.Parameter(torch.randn(shape) / shape[-2] ** 0.5)
        self.params = nn.ParameterList(
            [rand(h, c, d), rand(h, c, d), rand(h, c, d), rand(h, d, c), rand(c, 4 * c), rand(4 * c, c)]
            + [nn.Parameter(torch.ones(c)) for _ in range(2)]
        )

    def forward(self, x):
        return torch.vmap(sequence, in_dims=(None, 0))(tuple(self.params), x)
