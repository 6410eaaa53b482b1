# wrong: cross-cache lengths-off-by-one line 26
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)

    def forward(self, x, memory, memory_lengths, cache=None):
        def split(t):
            return t.reshape(t.shape[0], t.shape[1], self.heads, -1).permute(0, 2, 1, 3)

        if cache is None:
            cache = {
                "k": split(self.k(memory)),
                "v": split(self.v(memory)),
                "n": memory_lengths,
            }
        k, v = cache["k"], cache["v"]
        seen = torch.arange(k.size(2), device=x.device)[None] <= cache["n"][:, None]
        logits = split(self.q(x)) @ k.mT / k.size(3) ** 0.5
        logits = logits.masked_fill(seen.logical_not()[:, None, None], -torch.inf)
        y = logits.softmax(-1) @ v
        return self.o(y.permute(0, 2, 1, 3).flatten(2)), cache
