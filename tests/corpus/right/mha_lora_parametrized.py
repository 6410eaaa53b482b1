# right: mha  factors added to a layer's weight by torch's parametrizations
import torch, torch.nn as nn, math
from torch.nn.utils import parametrize
class LoRA(nn.Module):
    def __init__(self, o, i, r=4):
        super().__init__()
        self.A = nn.Parameter(torch.randn(r, i)); self.B = nn.Parameter(torch.zeros(o, r))
    def forward(self, W):
        return W + 0.5 * self.B @ self.A
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.h = n_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))
        for m in (self.q, self.v):
            parametrize.register_parametrization(m, "weight", LoRA(d_model, d_model))
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
