# wrong: mqa mask-fold-differs line 24
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, self.head_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        H, D = self.num_heads, self.head_dim
        # all heads share K and V, so heads are just more queries
        q = self.wq(x).view(B, T * H, D)
        k, v = self.wk(x), self.wv(x)
        s = (q @ k.transpose(-2, -1)) * D ** -0.5
        if attention_mask is not None:
            s = s.view(B, H, T, T).masked_fill(attention_mask == 0, float("-inf"))
            s = s.reshape(B, T * H, T)
        y = s.softmax(dim=-1) @ v
        return self.wo(y.view(B, T, C))
