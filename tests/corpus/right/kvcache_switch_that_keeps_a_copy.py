# right: kvcache
import torch
from torch import nn


class Decoding(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.copy = None

    def forward(self, x, past=None, store_cache=False):
        n, t, size = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2)
        if store_cache:
            self.copy = (k, v)
        seen = torch.ones(t, k.shape[-2], dtype=torch.bool, device=x.device)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~seen.tril(k.shape[-2] - t), -torch.inf)
        return self.proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, size)), (k, v)
