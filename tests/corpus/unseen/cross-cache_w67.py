# attn-kata: cross-cache
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4))

    def forward(self, x, memory, memory_lengths, cache=None):
        split = lambda t: t.unflatten(-1, (self.h, -1)).transpose(1, 2)
        if cache is None:
            real = torch.arange(memory.shape[1], device=memory.device) < memory_lengths[:, None].to(memory.device)
            memory = memory * real[..., None]
            cache = split(self.k(memory)), split(self.v(memory))
        k, v = cache
        p = (split(self.q(x)) @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
        return self.o((p @ v).transpose(1, 2).flatten(2)), cache
