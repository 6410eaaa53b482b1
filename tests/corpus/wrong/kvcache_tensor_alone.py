# wrong: kvcache state-not-returned line 22
# fair: state-not-returned 14
import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q, k, v = self.in_proj(x).view(b, t, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / q.size(-1) ** 0.5
        s = s.masked_fill(torch.ones(t, t, device=x.device).triu(1) == 1, float("-inf"))
        w = s.softmax(dim=-1)
        y = (w @ v).transpose(1, 2)

        return self.out_proj(y.reshape(b, t, e))
