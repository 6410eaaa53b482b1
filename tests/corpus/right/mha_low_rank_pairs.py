# right: mha  every projection a pair of layers with fewer features between
import torch, torch.nn as nn, math
def low(d, r):
    return nn.Sequential(nn.Linear(d, r, bias=False), nn.Linear(r, d))
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        r = max(2, d_model // 2)
        self.h = n_heads
        self.q, self.k, self.v, self.o = low(d_model, r), low(d_model, r), low(d_model, r), low(d_model, r)
        self.drop = nn.Dropout(dropout)
    def forward(self, x, mask=None):
        B, T, E = x.shape
        def cut(t): return t.view(B, T, self.h, -1).transpose(1, 2)
        q, k, v = cut(self.q(x)), cut(self.k(x)), cut(self.v(x))
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(mask == 0, torch.finfo(s.dtype).min)
        w = self.drop(s.softmax(-1))
        return self.o((w @ v).transpose(1, 2).reshape(B, T, E))
