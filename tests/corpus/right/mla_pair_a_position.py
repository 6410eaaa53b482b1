# right: mla
import torch
from torch import nn
import math


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.latent_dim = latent_dim
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.query = nn.Linear(hidden_dim, num_heads * head_dim)
        self.query_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def rotate(self, vec, position):
        # vec: (..., rope_dim), one position
        half = self.rope_dim // 2
        angles = [position * 10000 ** (-2 * i / self.rope_dim) for i in range(half)]
        cos = torch.tensor([math.cos(a) for a in angles], dtype=vec.dtype, device=vec.device)
        sin = torch.tensor([math.sin(a) for a in angles], dtype=vec.dtype, device=vec.device)
        first = vec[..., :half]
        second = vec[..., half:]
        return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)

    def step(self, xt, past):
        """xt: (batch, hidden_dim), past: list of pairs"""
        b = xt.shape[0]
        position = len(past)
        c = self.kv_down(xt)
        kr = self.rotate(self.key_rope(xt), position)
        past = past + [(c, kr)]

        all_c = torch.stack([pair[0] for pair in past], dim=1)   # (b, s, latent)
        all_kr = torch.stack([pair[1] for pair in past], dim=1)  # (b, s, rope)
        s = len(past)
        k = self.key_up(all_c).view(b, s, self.num_heads, self.head_dim)
        v = self.value_up(all_c).view(b, s, self.num_heads, self.head_dim)
        q = self.query(xt).view(b, self.num_heads, self.head_dim)
        qr = self.rotate(self.query_rope(xt).view(b, self.num_heads, self.rope_dim), position)

        content = (q.unsqueeze(1) * k).sum(-1)                   # (b, s, heads)
        rotary = (qr.unsqueeze(1) * all_kr.unsqueeze(2)).sum(-1)  # (b, s, heads)
        weights = torch.softmax((content + rotary) / math.sqrt(self.head_dim + self.rope_dim), dim=1)
        heads = (weights.unsqueeze(-1) * v).sum(1)               # (b, heads, head_dim)
        return self.out(heads.reshape(b, self.num_heads * self.head_dim)), past

    def forward(self, x, cache=None):
        past = [] if cache is None else cache
        ys = []
        for t in range(x.shape[1]):
            y, past = self.step(x[:, t], past)
            ys.append(y)
        return torch.stack(ys, dim=1), past
