# wrong: mla cache-stale line 40
import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.dims = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.down_proj = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.up_proj = nn.Linear(latent_dim, 2 * num_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def rope(self, x, pos):
        r = self.dims[2]
        inv = 10000.0 ** -(torch.arange(0, r, 2, device=x.device) / r)
        ang = torch.einsum("t,i->ti", pos.float(), inv)
        x1, x2 = torch.tensor_split(x, 2, dim=-1)
        return torch.cat([x1 * ang.cos() - x2 * ang.sin(), x2 * ang.cos() + x1 * ang.sin()], -1).to(x.dtype)

    def forward(self, x, cache=None):
        h, d, r, c = self.dims
        b, t, _ = x.shape
        past = 0 if cache is None else cache[2]
        pos = torch.arange(past, past + t, device=x.device)
        lat, k_pe = self.down_proj(x).split([c, r], -1)
        k_pe = self.rope(k_pe, pos)
        all_lat, all_pe = lat, k_pe
        if cache is not None:
            all_lat = torch.cat([cache[0], lat], 1)
            all_pe = torch.cat([cache[1], k_pe], 1)
        s = all_lat.shape[1]
        q, q_pe = self.q_proj(x).view(b, t, h, d + r).transpose(1, 2).split([d, r], -1)
        k, v = self.up_proj(all_lat).view(b, s, 2, h, d).permute(2, 0, 3, 1, 4)
        att = q @ k.transpose(-2, -1) + self.rope(q_pe, pos) @ all_pe.transpose(1, 2)[:, None]
        att = att * (d + r) ** -0.5
        att = att.masked_fill(torch.ones(t, s, device=x.device).tril(s - t) == 0, float("-inf"))
        y = att.softmax(-1) @ v
        return self.o_proj(y.transpose(1, 2).flatten(2)), (lat, k_pe, past + t)
