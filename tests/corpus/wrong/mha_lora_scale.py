# wrong: mha scale-by-hidden-dim line 22
import torch, torch.nn as nn, math
class LoRALinear(nn.Module):
    def __init__(self, d, r=4, alpha=8):
        super().__init__()
        self.base = nn.Linear(d, d)
        self.A = nn.Parameter(torch.randn(r, d) * 0.1)
        self.B = nn.Parameter(torch.zeros(d, r))
        self.scale = alpha / r
    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.A.T @ self.B.T)
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.h = n_heads
        self.q, self.k, self.v, self.o = (LoRALinear(d_model) for _ in range(4))
        self.drop = nn.Dropout(dropout)
    def forward(self, x, mask=None):
        B, T, E = x.shape
        def cut(t): return t.view(B, T, self.h, -1).transpose(1, 2)
        q, k, v = cut(self.q(x)), cut(self.k(x)), cut(self.v(x))
        s = q @ k.transpose(-1, -2) / math.sqrt(E)
        if mask is not None:
            s = s.masked_fill(mask == 0, torch.finfo(s.dtype).min)
        w = self.drop(s.softmax(-1))
        return self.o((w @ v).transpose(1, 2).reshape(B, T, E))
