import math
from functools import partial, reduce

import torch
from torch import Tensor, nn


def lam_init(depth):
    return 0.8 - 0.6 * math.exp(-0.3 * depth)


def rms(weight, eps, u):
    wide = u.to(torch.promote_types(u.dtype, torch.float32))
    return (wide * (wide.square().mean(-1, keepdim=True) + eps).rsqrt()).to(u.dtype) * weight


def softmap(q, k):
    n, d = q.shape[-2:]
    hide = torch.full((n, n), True, device=q.device).triu(1)
    return (q @ k.mT / math.sqrt(d)).masked_fill(hide, -math.inf).softmax(-1)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        d = hidden_dim // (2 * num_heads)
        self.shape_qk, self.shape_v = (num_heads, 2, d), (num_heads, 2 * d)
        self.init = lam_init(depth)
        self.proj = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ("q", "k", "v", "o")})
        self.lambdas = nn.ParameterDict(
            {n: nn.Parameter(0.1 * torch.randn(d)) for n in ("lq1", "lk1", "lq2", "lk2")}
        )
        self.gain = nn.Parameter(torch.ones(2 * d))

    def forward(self, x: Tensor) -> Tensor:
        # (map, batch, head, position, feature)
        q, k = (self.proj[n](x).unflatten(-1, self.shape_qk).permute(3, 0, 2, 1, 4) for n in "qk")
        v = self.proj["v"](x).unflatten(-1, self.shape_v).transpose(1, 2)
        l = self.lambdas
        lam = reduce(
            lambda acc, f: f(acc),
            (
                lambda a: a + (l["lq1"] @ l["lk1"]).exp(),
                lambda a: a - (l["lq2"] @ l["lk2"]).exp(),
            ),
            self.init,
        )
        first, second = map(softmap, q, k)
        norm = partial(rms, self.gain, 1e-5)
        heads = (1 - self.init) * norm((first - lam * second) @ v)
        return self.proj["o"](heads.transpose(1, 2).flatten(-2))
