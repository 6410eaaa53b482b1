# wrong: v1 softmax-unstable line 8
# fair: softmax-unstable 8 9
import torch
from torch import nn


def softmax(t, dim=-1):
    exp = t.exp()
    return exp / exp.sum(dim=dim, keepdim=True)


class Attention(nn.Module):
    """Scaled dot-product self attention, everything by hand.

    Args:
        embed_size: width of the tokens
    """

    def __init__(self, embed_size):
        super().__init__()
        self.proj = nn.ModuleDict({
            name: nn.Linear(embed_size, embed_size) for name in ('q', 'k', 'v')
        })
        self.scale = embed_size ** -0.5

    def forward(self, x):
        q = self.proj['q'](x)
        k = self.proj['k'](x)
        v = self.proj['v'](x)
        w = softmax((q * self.scale) @ k.swapaxes(-1, -2))
        return w @ v
