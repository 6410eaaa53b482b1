import torch
from einops import einsum, rearrange
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.h, self.g = num_heads, num_kv_heads
        kv_dim = hidden_dim // num_heads * num_kv_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * kv_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def group_mask(self, mask):
        if mask.shape[1] == 1:
            return mask[:, :, None]
        return rearrange(mask, "b (r g) i j -> b g r i j", g=self.g)

    def forward(self, x, attention_mask=None):
        q = rearrange(self.to_q(x), "b n (g r d) -> b g r n d", g=self.g, r=self.h // self.g)
        k, v = rearrange(self.to_kv(x), "b n (two g d) -> two b g n d", two=2, g=self.g)
        sim = einsum(q, k, "b g r i d, b g j d -> b g r i j") * q.shape[-1] ** -0.5
        if attention_mask is not None:
            sim = sim.masked_fill(self.group_mask(attention_mask) == 0, -torch.finfo(sim.dtype).max)
        out = einsum(sim.softmax(dim=-1), v, "b g r i j, b g j d -> b g r i d")
        return self.to_out(rearrange(out, "b g r n d -> b n (g r d)"))
