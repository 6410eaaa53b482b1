import torch
import torch.nn as nn
import torch.nn.functional as F
import math


class CachedCrossAttention(nn.Module):
    """cross attention, memory is only projected the first time"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must divide"
        self.h = num_heads
        self.dk = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key_value = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t):
        B, L, _ = t.size()
        return t.view(B, L, self.h, self.dk).permute(0, 2, 1, 3)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache == None:
            k, v = self.key_value(memory).chunk(2, dim=2)
            k, v = self.heads(k), self.heads(v)
            cache = {"keys": k, "values": v}
        k = cache["keys"]
        v = cache["values"]

        q = self.heads(self.query(x))
        att = torch.einsum('bhqd,bhkd->bhqk', q, k) / math.sqrt(self.dk)

        # hide the padding of the source
        n_real = memory_lengths.to(x.device).view(-1, 1, 1, 1)
        place = torch.arange(k.size(2), device=x.device)
        att = att.masked_fill(place >= n_real, float('-inf'))
        att = F.softmax(att, -1)

        ctx = torch.einsum('bhqk,bhkd->bhqd', att, v)
        ctx = ctx.permute(0, 2, 1, 3).contiguous().view(x.size(0), x.size(1), self.h * self.dk)
        return self.out(ctx), cache
