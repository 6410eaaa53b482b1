# wrong: cross-cache memory-padding-forgotten line 30
# fair: memory-padding-forgotten 22, 24, 29, 33
import math

import torch
import torch.nn as nn


class CachedCrossAttention(nn.Module):
    def __init__(self, d_model, nhead):
        super().__init__()
        self.nhead = nhead
        self.wq = nn.Linear(d_model, d_model)
        self.wkv = nn.Linear(d_model, 2 * d_model)
        self.wo = nn.Linear(d_model, d_model)

    def _heads(self, t):
        return t.unflatten(2, (self.nhead, -1)).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        padding = None
        if cache is None:
            k, v = map(self._heads, self.wkv(memory).chunk(2, -1))
            pos = torch.arange(memory.shape[1], device=memory.device)
            padding = pos[None, :] >= memory_lengths[:, None]
        else:
            k, v = cache
        q = self._heads(self.wq(x))
        scores = q @ k.mT / math.sqrt(k.shape[-1])
        if padding is not None:
            scores = scores.masked_fill(padding[:, None, None], float("-inf"))
        weights = scores.softmax(-1)
        out = (weights @ v).transpose(1, 2).flatten(2)
        return self.wo(out), (k, v)
