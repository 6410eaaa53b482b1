import torch
from torch import nn
from types import SimpleNamespace


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads))
        self.kv = nn.ModuleList(nn.Linear(hidden_dim, 2 * (hidden_dim // num_heads)) for _ in range(num_heads))
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def remember(self, memory, lengths):
        k, v = torch.stack([f(memory) for f in self.kv], 1).chunk(2, dim=-1)
        pad = torch.arange(memory.shape[1], device=memory.device) >= lengths.unsqueeze(-1)
        bias = torch.zeros(pad.shape, dtype=k.dtype, device=k.device).masked_fill(pad, -torch.inf)
        return SimpleNamespace(k=k.mT / k.shape[-1] ** 0.5, v=v, bias=bias[:, None, None])

    def forward(self, x, memory, memory_lengths, cache=None):
        c = self.remember(memory, memory_lengths) if cache is None else cache
        q = torch.stack([f(x) for f in self.q], 1)
        w = (q @ c.k + c.bias).softmax(-1)
        return self.o(torch.cat((w @ c.v).unbind(1), -1)), c
