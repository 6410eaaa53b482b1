# wrong: kvcache cache-wrong-order line 23
# fair: cache-wrong-order 24
import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads = num_heads
        self.depth = d_model // num_heads
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, past=None):
        b, t, e = x.shape
        q = self.query(x).view(b, t, self.heads, self.depth).permute(0, 2, 1, 3)
        k = self.key(x).view(b, t, self.heads, self.depth).permute(0, 2, 1, 3)
        v = self.value(x).view(b, t, self.heads, self.depth).permute(0, 2, 1, 3)
        if past is not None:
            k = torch.cat((k, past[0]), dim=2)
            v = torch.cat((v, past[1]), dim=2)
        total = k.shape[2]
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / self.depth**0.5
        keep = torch.ones(t, total, dtype=torch.bool, device=x.device).tril(total - t)
        scores = scores.masked_fill(~keep, -1e9)
        y = torch.einsum("bhqk,bhkd->bqhd", scores.softmax(-1), v).reshape(b, t, e)
        return self.out(y), (k, v)
