# right: block
from functools import partial
import math

import torch
from torch import nn


def glorot(n_in, n_out):
    return nn.Parameter(torch.randn(n_in, n_out) / math.sqrt(n_in))


def layer_norm(x, scale, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    centred = x - mu
    var = (centred * centred).mean(-1, keepdim=True)
    return scale * centred / (var + eps).sqrt()


def gelu(x):
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def softmax(s):
    e = torch.exp(s - s.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def attention(params, x, *, n_heads):
    b, t, d = x.shape
    heads = lambda w: (x @ w).reshape(b, t, n_heads, d // n_heads).permute(0, 2, 1, 3)
    q, k, v = map(heads, (params["q"], params["k"], params["v"]))
    logits = q @ k.swapaxes(-1, -2) / math.sqrt(d // n_heads)
    i = torch.arange(t, device=x.device)
    logits = torch.where(i[:, None] >= i[None, :], logits, -torch.inf)
    out = softmax(logits) @ v
    return out.permute(0, 2, 1, 3).reshape(b, t, d) @ params["o"]


def mlp(params, x):
    return gelu(x @ params["up"]) @ params["down"]


def block(params, x, *, n_heads):
    x = x + attention(params, layer_norm(x, params["g1"]), n_heads=n_heads)
    return x + mlp(params, layer_norm(x, params["g2"]))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim
        self.params = nn.ParameterDict(
            {
                "g1": nn.Parameter(torch.ones(d)),
                "g2": nn.Parameter(torch.ones(d)),
                "q": glorot(d, d),
                "k": glorot(d, d),
                "v": glorot(d, d),
                "o": glorot(d, d),
                "up": glorot(d, 4 * d),
                "down": glorot(4 * d, d),
            }
        )
        self.apply_fn = partial(block, n_heads=num_heads)

    def forward(self, x):
        return self.apply_fn(self.params, x)
