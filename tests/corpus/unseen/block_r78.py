# Length first inside. Norms are a matrix (centering) and an rsqrt; gains are exp(g).
import math

import torch
from torch import Tensor, nn


class Norm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.g = nn.Parameter(torch.zeros(width))
        self.b = nn.Parameter(torch.zeros(width))
        self.register_buffer("center", torch.eye(width) - 1 / width, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        y = x @ self.center
        return y * torch.rsqrt(y.square().mean(-1, True) + 1e-5) * self.g.exp() + self.b


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.H = num_heads
        w = lambda *s: nn.Parameter(torch.randn(*s) / math.sqrt(hidden_dim))  # noqa: E731
        self.before = nn.ModuleDict({"read": Norm(hidden_dim), "think": Norm(hidden_dim)})
        self.square = w(4, hidden_dim, hidden_dim)                  # v, k, q, o; in x out
        self.wide = w(2, hidden_dim, 4 * hidden_dim)                # up: in x out, down: out x in

    def read(self, x: Tensor) -> Tensor:
        T, B, C = x.shape
        v, k, q = (x @ self.square[:3, None]).view(3, T, B * self.H, -1)
        s = torch.bmm(q.transpose(0, 1), k.permute(1, 2, 0)) / (C // self.H) ** 0.5
        s = s + torch.full((T, T), -torch.inf, dtype=s.dtype, device=s.device).triu(1)
        return torch.bmm(s.softmax(2), v.transpose(0, 1)).transpose(0, 1).reshape(T, B, C) @ self.square[3]

    def think(self, x: Tensor) -> Tensor:
        up, down = self.wide
        a = x @ up
        return (0.5 * a * (1 + torch.erf(a / math.sqrt(2)))) @ down.T

    def forward(self, x: Tensor) -> Tensor:
        stream = x.transpose(0, 1)
        for name, norm in self.before.items():
            stream = stream + getattr(self, name)(norm(stream))
        return stream.transpose(0, 1)
