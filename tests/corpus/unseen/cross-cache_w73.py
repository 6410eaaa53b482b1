import math, torch
from torch import nn

class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def sp(self, t):
        return t.view(t.size(0), t.size(1), self.h, self.d).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            k, v = self.sp(self.wk(memory)), self.sp(self.wv(memory))
            s = memory.size(1)
            pad = torch.arange(s, device=x.device) > memory_lengths[:, None]
            cache = (k, v, pad[:, None, None])
        k, v, pad = cache
        q = self.sp(self.wq(x))
        a = (q @ k.mT / math.sqrt(self.d)).masked_fill(pad, -math.inf)
        y = (a.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return self.wo(y), cache
