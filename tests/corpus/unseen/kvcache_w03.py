import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, self.num_heads, -1).transpose(1, 2) for z in self.c_attn(x).split(c, -1))
        is_prefill = cache is None
        if not is_prefill:
            k = torch.cat((cache["k"], k), dim=-2)
            v = torch.cat((cache["v"], v), dim=-2)
        att = q @ k.mT / q.size(-1) ** 0.5
        if is_prefill:  # while decoding, everything in the cache is in the past
            n = k.size(-2)
            hide = torch.ones(t, n, dtype=torch.bool, device=x.device).triu(n - t + 1)
            att = att.masked_fill(hide, float("-inf"))
        out = (att.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return self.c_proj(out), {"k": k, "v": v}
