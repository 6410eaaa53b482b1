import torch
import torch.nn as nn
from einops import rearrange


def exists(val):
    return val is not None


def lens_to_mask(lens, n):
    seq = torch.arange(n, device=lens.device)
    return rearrange(seq, 'j -> 1 1 1 j') < rearrange(lens, 'b -> b 1 1 1')


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        return rearrange(t, 'b n (h d) -> b h n d', h=self.heads)

    def forward(self, x, memory, memory_lengths, cache=None):
        q = self.split(self.to_q(x))

        if exists(cache):
            k, v, mask = cache
            next_cache = cache
        else:
            k, v = map(self.split, self.to_kv(memory).chunk(2, dim=-1))
            mask = lens_to_mask(memory_lengths, memory.shape[1])

            # pre-scale the keys, so that decoding steps need not

            next_cache = (k * self.scale, v, mask)

        # attend

        mask_value = -torch.finfo(q.dtype).max
        sim = torch.einsum('b h i d, b h j d -> b h i j', q * self.scale, k)
        sim = sim.masked_fill(~mask, mask_value)
        attn = sim.softmax(dim=-1)

        out = torch.einsum('b h i j, b h j d -> b h i d', attn, v)
        out = rearrange(out, 'b h n d -> b n (h d)')
        return self.to_out(out), next_cache
