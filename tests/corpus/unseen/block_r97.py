# functional style: parameters in a dict, a few pure functions
import torch
import torch.nn.functional as F
from torch import nn


def norm(x, g, b, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    var = (x - mu).pow(2).mean(-1, keepdim=True)
    return (x - mu) * torch.rsqrt(var + eps) * g + b


def attn(x, p, n_head):
    B, T, C = x.shape
    q, k, v = torch.einsum("btc,cshd->sbhtd", x, p["w_qkv"].view(C, 3, n_head, C // n_head))
    w = torch.einsum("bhtd,bhsd->bhts", q, k) * (C // n_head) ** -0.5
    i = torch.arange(T, device=x.device)
    w = torch.where(i[:, None] >= i, w, -torch.inf)
    y = torch.einsum("bhts,bhsd->bthd", torch.softmax(w, -1), v)
    return y.reshape(B, T, C) @ p["w_o"]


def mlp(x, p):
    return F.gelu(x @ p["w_up"] + p["b_up"]) @ p["w_down"] + p["b_down"]


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        C = hidden_dim
        self.n_head = num_heads
        rand = lambda i, o: nn.Parameter(torch.randn(i, o) * i**-0.5)
        fill = lambda n, x: nn.Parameter(torch.full((n,), float(x)))
        self.p = nn.ParameterDict({
            "g_1": fill(C, 1), "b_1": fill(C, 0), "w_qkv": rand(C, 3 * C), "w_o": rand(C, C),
            "g_2": fill(C, 1), "b_2": fill(C, 0),
            "w_up": rand(C, 4 * C), "b_up": fill(4 * C, 0), "w_down": rand(4 * C, C), "b_down": fill(C, 0),
        })

    def forward(self, x):
        p = self.p
        x = x + attn(norm(x, p["g_1"], p["b_1"]), p, self.n_head)
        return x + mlp(norm(x, p["g_2"], p["b_2"]), p)
