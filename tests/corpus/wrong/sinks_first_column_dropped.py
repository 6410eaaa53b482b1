# wrong: sinks sink-wrong-column line 20
import torch
import torch.nn.functional as F


class AttentionBlock(torch.nn.Module):
    def __init__(self, dim: int, n_heads: int):
        super().__init__()
        self.h = n_heads
        self.qkv = torch.nn.Linear(dim, 3 * dim)
        self.out = torch.nn.Linear(dim, dim)
        self.sink = torch.nn.Parameter(torch.randn(n_heads))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, c // self.h).permute(2, 0, 3, 1, 4)
        hidden = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        s = (q @ k.mT * (c // self.h) ** -0.5).masked_fill(hidden, torch.finfo(q.dtype).min)
        s = torch.cat([s, self.sink.view(1, -1, 1, 1).repeat(b, 1, t, 1)], dim=-1)
        p = s.softmax(-1)[..., 1:]
        y = p @ v
        return self.out(y.transpose(1, 2).flatten(2))
