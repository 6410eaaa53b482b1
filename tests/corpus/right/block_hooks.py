# right: block
import torch
from torch import nn


def norm_first(module, args):
    (stream,) = args
    return (module.norm(stream),)


def add_stream(module, args, output):
    return args[0] + output


class Attn(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.o = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.q = nn.Linear(width, width)
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.register_forward_pre_hook(norm_first)

    def forward(self, h):
        b, n, c = h.size()
        size = b, n, self.heads, c // self.heads
        q, k, v = (lin(h).reshape(size).transpose(1, 2) for lin in (self.q, self.k, self.v))
        q = q * size[-1] ** -0.5
        a = torch.matmul(q, k.mT)
        a = a + torch.full((n, n), float("-inf"), dtype=a.dtype, device=a.device).triu(1)
        a = a.softmax(dim=-1)
        return self.o(torch.matmul(a, v).transpose(1, 2).reshape(b, n, c))


class FF(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin_down = nn.Linear(4 * width, width)
        self.lin_up = nn.Linear(width, 4 * width)
        self.norm = nn.LayerNorm(width)
        self.register_forward_pre_hook(norm_first)

    def forward(self, h):
        return self.lin_down(nn.functional.gelu(self.lin_up(h)))


class Branch(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.register_forward_hook(add_stream)

    def forward(self, stream):
        return self.inner(stream)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.second = Branch(FF(hidden_dim))
        self.first = Branch(Attn(hidden_dim, num_heads))

    def forward(self, x):
        return self.second(self.first(x))
