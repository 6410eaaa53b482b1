# wrong: mla rope-turned-again line 43
# fair: rope-turned-again 53
import math
import torch
import torch.nn as nn


def rope(x, pos):
    # x (b, h, t, r)
    half = x.shape[-1] // 2
    inv_freq = 10000.0 ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
    angles = pos[:, None].float() * inv_freq
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    x1, x2 = x[..., :half], x[..., half:]
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.W_q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.W_dkv = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.W_kr = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.W_ukv = nn.Linear(latent_dim, 2 * num_heads * head_dim, bias=False)
        self.W_o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        q_c, q_r = self.W_q(x).view(b, t, self.h, -1).transpose(1, 2).split([self.d, self.r], dim=-1)

        c = self.W_dkv(x)
        k_r = self.W_kr(x)
        if cache is not None:
            prev_c, prev_k_r = cache
            c = torch.cat([prev_c, c], dim=1)
            k_r = torch.cat([prev_k_r, k_r], dim=1)
        s = c.shape[1]

        # positions
        pos = torch.arange(s, device=x.device)
        q_r = rope(q_r, pos[s - t:])
        k_r = rope(k_r.unsqueeze(1), pos).squeeze(1)

        k, v = self.W_ukv(c).view(b, s, 2, self.h, self.d).permute(2, 0, 3, 1, 4)

        att = torch.matmul(q_c, k.transpose(-1, -2)) + torch.matmul(q_r, k_r.unsqueeze(1).transpose(-1, -2))
        att = att / math.sqrt(self.d + self.r)
        mask = torch.tril(torch.ones(t, s, device=x.device), diagonal=s - t)
        att = att.masked_fill(mask == 0, float("-inf")).softmax(dim=-1)

        out = torch.matmul(att, v).transpose(1, 2).reshape(b, t, self.h * self.d)
        return self.W_o(out), (c, k_r)
