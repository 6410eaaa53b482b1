import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    # all query heads are stacked along the length: one (H*T, d) x (d, T) product per sample
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n, self.d = num_heads, hidden_dim // num_heads
        self.fused = nn.Linear(hidden_dim, hidden_dim + 2 * self.d)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q, k, v = self.fused(x).split([C, self.d, self.d], dim=-1)
        q = q.view(B, T, self.n, self.d).transpose(1, 2).reshape(B, self.n * T, self.d)
        s = torch.bmm(q, k.transpose(1, 2)) / self.d**0.5
        s = s.view(B, self.n, T, T)
        if attention_mask is not None:
            s = s - torch.where(attention_mask.bool(), 0.0, float("inf")).to(s.dtype)
        s = s.softmax(-1).view(B, self.n * T, T)
        y = torch.bmm(s, v).view(B, self.n, T, self.d)
        return self.proj(y.permute(0, 2, 1, 3).reshape(B, T, C))
