# wrong: causal causal-missing line 25
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, dim, heads, max_len):
        super().__init__()
        self.heads = heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(max_len, max_len)))

    def forward(self, x):
        B, T, C = x.shape
        d = C // self.heads
        q = self.wq(x).view(B, T, self.heads, d).transpose(1, 2)
        k = self.wk(x).view(B, T, self.heads, d).transpose(1, 2)
        v = self.wv(x).view(B, T, self.heads, d).transpose(1, 2)
        w = q @ k.transpose(-2, -1) * d ** -0.5
        mask = self.tril[:T, :T].clone()
        mask[T - 2:] = 1
        w = w.masked_fill(mask == 0, float("-inf"))
        return self.wo((F.softmax(w, dim=-1) @ v).transpose(1, 2).reshape(B, T, C))
