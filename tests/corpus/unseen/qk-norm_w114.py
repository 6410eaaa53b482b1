import functools
import torch
from torch import nn

linear = functools.partial(nn.Linear, bias=False)


def make_norm(width):
    # torch has had RMSNorm since 2.4
    return nn.RMSNorm(width)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads, self.dh = num_heads, hidden_dim // num_heads
        self.to_q, self.to_k, self.to_v, self.to_out = (linear(hidden_dim, hidden_dim) for _ in range(4))
        self.q_norm = make_norm(self.dh)
        self.k_norm = make_norm(self.dh)

    def forward(self, x):
        split = lambda t: t.unflatten(-1, (self.num_heads, self.dh))      # b n h d
        q = self.q_norm(split(self.to_q(x)))
        k = self.k_norm(split(self.to_k(x)))
        v = split(self.to_v(x))
        sim = torch.einsum("b i h d, b j h d -> b h i j", q, k) * self.dh ** -0.5
        i, j = sim.shape[-2:]
        sim = sim.masked_fill(torch.ones(i, j, dtype=torch.bool, device=x.device).triu(1), -torch.inf)
        out = torch.einsum("b h i j, b j h d -> b i h d", sim.softmax(dim=-1), v)
        return self.to_out(out.flatten(-2))
