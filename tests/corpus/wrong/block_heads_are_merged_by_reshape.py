# wrong: block heads-merge-without-transpose line 31
import torch
import torch.nn as nn
import torch.nn.functional as F


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.ln_a = nn.LayerNorm(hidden_dim)
        self.ln_m = nn.LayerNorm(hidden_dim)
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.fc = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.pr = nn.Linear(4 * hidden_dim, hidden_dim)

    def fold(self, z):
        B, T, C = z.shape
        return z.reshape(B, T, self.heads, C // self.heads).transpose(1, 2).reshape(B * self.heads, T, C // self.heads)

    def attn(self, z):
        B, T, C = z.shape
        q, k, v = self.fold(self.Wq(z)), self.fold(self.Wk(z)), self.fold(self.Wv(z))
        w = torch.bmm(q, k.transpose(1, 2)) / (C // self.heads) ** 0.5
        w = w + torch.triu(torch.full_like(w, float("-inf")), 1)
        w = F.softmax(w, dim=2)
        y = torch.bmm(w, v)
        y = y.reshape(B, T, C)
        return self.Wo(y)

    def forward(self, x):
        x = x + self.attn(self.ln_a(x))
        x = x + self.pr(F.gelu(self.fc(self.ln_m(x))))
        return x
