import torch
import torch.nn.functional as F
from torch import nn


class CausalHeads(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.o = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        i = torch.arange(x.shape[1], device=x.device)
        s = s.masked_fill(i[None, :] > i[:, None], torch.finfo(s.dtype).min)
        y = torch.einsum("bhij,bhjd->bihd", s.softmax(-1), v)
        return self.o(y.flatten(2))


class FeedForward(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def activation(self, h):
        if torch.is_grad_enabled():
            return F.gelu(h)
        return F.gelu(h, approximate="tanh")

    def forward(self, x):
        return self.down(self.activation(self.up(x)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.attn = CausalHeads(hidden_dim, num_heads)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.ff = FeedForward(hidden_dim)

    def forward(self, x):
        x = x + self.attn(self.norm_1(x))
        x = x + self.ff(self.norm_2(x))
        return x
