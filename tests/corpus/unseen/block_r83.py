import math
import torch
from torch import nn


class PhiGate(torch.nn.Module):
    def forward(self, z):
        return z * torch.special.ndtr(z)  # x · Φ(x)


class Mixer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.inn, self.out, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads

    def forward(self, u):
        q, k, v = self.inn(u).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        n = u.shape[1]
        s = torch.tril(torch.einsum("bhic,bhjc->bhij", q, k) / math.sqrt(q.shape[-1]))
        s = s + torch.ones(n, n, device=u.device).triu(1).to(u.dtype) * torch.finfo(u.dtype).min
        return self.out((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class Feed(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down, self.act = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), PhiGate()

    def forward(self, u):
        return self.down(self.act(self.up(u)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.body = nn.ModuleList([Mixer(hidden_dim, num_heads), Feed(hidden_dim)])
        self.pre = nn.ModuleList(nn.LayerNorm(hidden_dim, eps=1e-5) for _ in self.body)

    def forward(self, x):
        for norm, part in zip(self.pre, self.body):
            x = x + part(norm(x))
        return x
