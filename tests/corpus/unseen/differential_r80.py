import math
import torch
import torch.nn as nn


class DifferentialAttention(nn.Module):
    """Both maps of a head in one softmax; then a product over the axis of two with (1, -lambda)."""

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        assert hidden_dim % (2 * num_heads) == 0
        self.num_heads = num_heads
        self.head_dim = d = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lambdas = nn.ParameterDict({n: nn.Parameter(torch.randn(d) * 0.1) for n in ("lq1", "lk1", "lq2", "lk2")})
        self.gain = nn.Parameter(torch.ones(2 * d))

    def _signs(self):
        dots = [torch.dot(self.lambdas["lq" + i], self.lambdas["lk" + i]).exp() for i in "12"]
        lam = dots[0] - dots[1] + self.lambda_init
        return torch.stack([torch.ones_like(lam), -lam])

    def _norm(self, x):
        # x / sqrt(mean x^2 + eps) = x * sqrt(n) / sqrt(|x|^2 + n eps)
        n = x.shape[-1]
        square = torch.einsum("...e,...e->...", x, x).unsqueeze(-1)
        return x * (n**0.5) * torch.rsqrt(square + n * 1e-5) * self.gain

    def forward(self, x):
        b, t, c = x.shape
        h, d = self.num_heads, self.head_dim
        q = self.q_proj(x).view(b, t, h, 2, d)
        k, v = self.kv_proj(x).split(c, dim=-1)
        k, v = k.view(b, t, h, 2, d), v.view(b, t, h, 2 * d)
        s = torch.einsum("bihmd,bjhmd->bhmij", q, k) / math.sqrt(d)
        s = s.masked_fill(torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1), -math.inf)
        a = torch.einsum("bhmij,m->bhij", s.softmax(-1), self._signs())
        y = torch.einsum("bhij,bjhe->bihe", a, v)
        return self.out_proj((self._norm(y) * (1 - self.lambda_init)).reshape(b, t, c))
