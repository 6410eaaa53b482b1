import math
import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.D, self.R, self.C = num_heads, head_dim, rope_dim, latent_dim
        self.q_content = nn.Linear(hidden_dim, num_heads * head_dim)
        self.q_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.k_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def rotate(self, t, start):
        # t: (..., n, R)
        i = torch.arange(self.R // 2, device=t.device, dtype=torch.float32)
        freq = torch.exp(-math.log(10000.0) * 2 * i / self.R)
        p = torch.arange(start, start + t.size(-2), device=t.device, dtype=torch.float32)
        cos, sin = torch.cos(p[:, None] * freq), torch.sin(p[:, None] * freq)
        a, b = t.float().chunk(2, dim=-1) if t.dtype != torch.float64 else t.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(t.dtype)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        latent, raw = self.kv_down(x), self.k_rope(x)
        past = 0
        if cache is not None:
            past = cache["latent"].size(1)
            latent = torch.cat([cache["latent"], latent], dim=1)
            raw = torch.cat([cache["rope"], raw], dim=1)
        S = latent.size(1)

        qc = self.q_content(x).view(B, T, self.H, self.D).transpose(1, 2)
        qr = self.rotate(self.q_rope(x).view(B, T, self.H, self.R).transpose(1, 2), past)
        kc = self.key_up(latent).view(B, S, self.H, self.D).transpose(1, 2)
        v = self.value_up(latent).view(B, S, self.H, self.D).transpose(1, 2)
        keys = self.rotate(raw, past).unsqueeze(1)  # one for all heads

        scores = (qc @ kc.transpose(-1, -2) + qr @ keys.transpose(-1, -2)) / math.sqrt(self.D + self.R)
        ok = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(past)
        scores = scores.masked_fill(~ok, float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, self.H * self.D)
        return self.out(y), {"latent": latent, "rope": raw}
