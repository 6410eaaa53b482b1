# right: block
import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, *parts, **named):
        super().__init__()
        cfg = named.pop("cfg")
        self.heads = cfg.num_heads
        self.into = nn.Linear(cfg.hidden_size, 3 * cfg.hidden_size)
        self.out = nn.Linear(cfg.hidden_size, cfg.hidden_size)

    def forward(self, x):
        n, t, width = x.shape
        q, k, v = self.into(x).view(n, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~seen, -torch.inf)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, width))


class Decoder(nn.Module):
    def __init__(self, *parts, **named):
        super().__init__()
        cfg = named["cfg"]
        self.before, self.between = nn.LayerNorm(cfg.hidden_size), nn.LayerNorm(cfg.hidden_size)
        self.mix = Mixer(cfg=cfg)
        self.wide = nn.Sequential(
            nn.Linear(cfg.hidden_size, 4 * cfg.hidden_size),
            nn.GELU(),
            nn.Linear(4 * cfg.hidden_size, cfg.hidden_size),
        )

    def forward(self, x):
        x = x + self.mix(self.before(x))
        return x + self.wide(self.between(x))
