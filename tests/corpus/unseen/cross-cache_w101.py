import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            pad = torch.arange(memory.shape[1], device=memory.device) >= memory_lengths.unsqueeze(1)
            k = self.Wk(memory).unflatten(2, (self.h, -1))
            v = self.Wv(memory).unflatten(2, (self.h, -1))
        else:
            k, v, pad = cache["k"], cache["v"], cache["pad"]
        k = k * self.scale
        q = self.Wq(x).unflatten(2, (self.h, -1))
        s = torch.einsum("bthd,bshd->bhts", q, k)
        s = s.masked_fill(pad[:, None, None], float("-inf"))
        y = torch.einsum("bhts,bshd->bthd", s.softmax(-1), v)
        return self.Wo(y.flatten(2)), {"k": k, "v": v, "pad": pad}
