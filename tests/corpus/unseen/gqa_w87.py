import torch
from torch import nn
import math


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def repeat_kv(self, t):
        n = self.num_heads // self.num_kv_heads
        B, S, H, D = t.shape
        return t[:, :, None].expand(B, S, n, H, D).reshape(B, S, n * H, D)

    def forward(self, x, attention_mask=None):
        B, S, _ = x.shape
        xq = self.wq(x).view(B, S, self.num_heads, self.head_dim)
        xk = self.wk(x).view(B, S, self.num_kv_heads, self.head_dim)
        xv = self.wv(x).view(B, S, self.num_kv_heads, self.head_dim)
        xk, xv = self.repeat_kv(xk), self.repeat_kv(xv)
        xq, xk, xv = xq.transpose(1, 2), xk.transpose(1, 2), xv.transpose(1, 2)
        scores = torch.matmul(xq, xk.transpose(2, 3)) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        scores = torch.softmax(scores, dim=-1)
        out = torch.matmul(scores, xv).transpose(1, 2).contiguous().view(B, S, -1)
        return self.wo(out)
