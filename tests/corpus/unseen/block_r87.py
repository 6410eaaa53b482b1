import math
from dataclasses import dataclass

from torch import *
from torch import nn


@dataclass
class Config:
    width: int
    heads: int
    expansion: int = 4
    eps: float = 1e-5


class Norm(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.gamma = nn.Parameter(ones(cfg.width))
        self.eps = cfg.eps

    def forward(self, x):
        var, mu = var_mean(x, -1, correction=0, keepdim=True)
        return (x - mu) * rsqrt(var + self.eps) * self.gamma


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.cfg = cfg = Config(hidden_dim, num_heads)
        self.norm_a, self.norm_m = Norm(cfg), Norm(cfg)
        self.w = nn.ParameterDict({n: nn.Parameter(randn(cfg.width, cfg.width) / math.sqrt(cfg.width)) for n in "qkvo"})
        self.up = nn.Parameter(randn(cfg.width, cfg.expansion * cfg.width) * 0.02)
        self.down = nn.Parameter(randn(cfg.expansion * cfg.width, cfg.width) * 0.02)

    def attention(self, x):
        q, k, v = (stack(chunk(x @ self.w[n], self.cfg.heads, -1), 1) for n in "qkv")
        logits = q @ k.mT / math.sqrt(q.shape[-1])
        t = x.shape[1]
        logits = where(ones(t, t, device=x.device).tril() > 0, logits, -math.inf)
        return cat(unbind(softmax(logits, -1) @ v, 1), -1) @ self.w["o"]

    def mlp(self, x):
        h = x @ self.up
        return (h * 0.5 * (1 + erf(h / math.sqrt(2)))) @ self.down

    def forward(self, x):
        for norm, part in ((self.norm_a, self.attention), (self.norm_m, self.mlp)):
            x = x + part(norm(x))
        return x
