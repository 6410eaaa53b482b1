from torch import einsum, nn
import torch


def exists(val):
    return val is not None


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.attn_dropout = nn.Dropout(dropout)
        self.to_out = nn.Sequential(nn.Linear(hidden_dim, hidden_dim))

    def forward(self, query, key, value, mask=None):
        h = self.heads
        q, k, v = self.to_q(query), self.to_k(key), self.to_v(value)
        # b n (h d) -> b h n d
        q, k, v = map(lambda t: t.reshape(t.shape[0], t.shape[1], h, -1).permute(0, 2, 1, 3), (q, k, v))
        sim = einsum('b h i d, b h j d -> b h i j', q * self.scale, k)
        if exists(mask):
            keep = mask.bool()[:, None]
            sim = sim.masked_fill(~keep, -torch.finfo(sim.dtype).max)
        attn = self.attn_dropout(sim.softmax(dim=-1))
        out = einsum('b h i j, b h j d -> b i h d', attn, v)
        return self.to_out(out.flatten(2))
