import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wkv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def prefill(self, memory, lengths):
        kv = self.wkv(memory).unflatten(-1, (2, self.h, -1))
        k, v = kv.permute(2, 0, 3, 1, 4).unbind(0)
        seen = torch.arange(memory.size(1), device=memory.device) < lengths[:, None]
        bias = torch.zeros(seen.shape, dtype=memory.dtype, device=memory.device)
        bias = bias.masked_fill(~seen, torch.finfo(memory.dtype).min)[:, None, None]
        return k, v, bias

    def forward(self, x, memory, memory_lengths, cache=None):
        q = self.wq(x).unflatten(-1, (self.h, -1)).movedim(2, 1)
        if (entry := cache) is None:
            k, v, bias = self.prefill(memory, memory_lengths)
            entry = {"k": k, "v": v}
        else:
            k, v, bias = entry["k"], entry["v"], 0.0
        s = torch.einsum("bhtd,bhsd->bhts", q, k) * q.size(-1) ** -0.5 + bias
        y = torch.einsum("bhts,bhsd->bthd", s.softmax(-1), v)
        return self.wo(y.flatten(2)), entry
