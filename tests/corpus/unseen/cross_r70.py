"""As in latent diffusion: to_q / to_k / to_v / to_out, heads in the batch, attention in slices."""
import torch
from torch import nn


def exists(val):
    return val is not None


class CrossAttention(nn.Module):
    slice_size = 48

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        dim_head = hidden_dim // num_heads
        inner_dim = dim_head * num_heads
        self.scale = dim_head**-0.5
        self.heads = num_heads
        self.to_q = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.to_out = nn.Sequential(nn.Linear(inner_dim, hidden_dim), nn.Identity())
        self.attn_dropout = nn.Dropout(dropout)

    def head_to_batch_dim(self, t):
        b, n, c = t.shape
        t = t.reshape(b, n, self.heads, c // self.heads)
        return t.permute(2, 0, 1, 3).reshape(self.heads * b, n, c // self.heads)   # (h b) n d

    def batch_to_head_dim(self, t):
        hb, n, d = t.shape
        t = t.reshape(self.heads, hb // self.heads, n, d)
        return t.permute(1, 2, 0, 3).reshape(hb // self.heads, n, self.heads * d)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.to_q(query), self.to_k(key), self.to_v(value)
        q, k, v = map(self.head_to_batch_dim, (q, k, v))
        if exists(mask):
            mask = (mask != 0).repeat(self.heads, 1, 1)

        pieces = []
        for start in range(0, q.shape[1], self.slice_size):
            stop = start + self.slice_size
            sim = torch.einsum("b i d, b j d -> b i j", q[:, start:stop], k) * self.scale
            if exists(mask):
                sim.masked_fill_(~mask[:, start:stop], -torch.finfo(sim.dtype).max)
            attn = self.attn_dropout(sim.softmax(dim=-1))
            pieces.append(torch.einsum("b i j, b j d -> b i d", attn, v))
        return self.to_out(self.batch_to_head_dim(torch.cat(pieces, dim=1)))
