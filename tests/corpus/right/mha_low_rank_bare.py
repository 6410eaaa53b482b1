# right: mha  queries and keys by bare factors, multiplied first or one after the other
import torch, torch.nn as nn, math
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, rank=3):
        super().__init__()
        self.h = n_heads
        mk = lambda *s: nn.Parameter(torch.randn(*s) / 4)
        self.q_down, self.q_up = mk(d_model, rank), mk(rank, d_model)
        self.k_down, self.k_up = mk(d_model, rank), mk(rank, d_model)
        self.v_proj, self.out = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)
    def forward(self, x, mask=None):
        B, T, E = x.shape
        def cut(t): return t.view(B, T, self.h, -1).transpose(1, 2)
        q, k, v = cut(x @ self.q_down @ self.q_up), cut(x @ (self.k_down @ self.k_up)), cut(self.v_proj(x))
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(mask == 0, torch.finfo(s.dtype).min)
        w = self.drop(s.softmax(-1))
        return self.out((w @ v).transpose(1, 2).reshape(B, T, E))
