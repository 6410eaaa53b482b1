# wrong: gqa kv-heads-tiled line 22
# fair: kv-heads-tiled 25 28
import torch
import torch.nn as nn


class GQA(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        self.h = n_heads
        self.g = n_kv_heads
        self.d = d_model // n_heads
        self.wq = nn.Linear(d_model, d_model, bias=False)
        self.wk = nn.Linear(d_model, self.g * self.d, bias=False)
        self.wv = nn.Linear(d_model, self.g * self.d, bias=False)
        self.wo = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        B, T, C = x.shape
        r = self.h // self.g
        # 每组 r 个 query head
        q = self.wq(x).view(B, T, r, self.g, self.d).permute(0, 2, 3, 1, 4)
        k = self.wk(x).view(B, T, self.g, self.d).transpose(1, 2)
        v = self.wv(x).view(B, T, self.g, self.d).transpose(1, 2)
        s = q @ k.unsqueeze(1).transpose(-1, -2) / self.d ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.expand(B, self.h, T, T).reshape(B, r, self.g, T, T) == 0, -1e9)
        p = s.softmax(-1)
        o = p @ v.unsqueeze(1)
        o = o.permute(0, 3, 1, 2, 4).reshape(B, T, C)
        return self.wo(o)
