# right: mha
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        mask = torch.ones(b, self.h, t, t, device=x.device) if attention_mask is None else attention_mask.expand(b, self.h, t, t)

        def one(q, k, v, mask):
            s = (q @ k.T / q.shape[-1] ** 0.5).masked_fill(mask == 0, -torch.inf)
            return s.softmax(-1) @ v

        y = torch.vmap(torch.vmap(one))(q, k, v, mask)
        return self.o(y.transpose(1, 2).reshape(b, t, d))
