import torch
from torch import nn
import torch.nn.functional as F


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        # falcon: [q_0 .. q_H-1 | k | v]
        self.query_key_value = nn.Linear(hidden_dim, hidden_dim + 2 * self.head_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        fused = self.query_key_value(x).view(B, T, self.num_heads + 2, self.head_dim)
        q, k, v = fused.split([self.num_heads, 1, 1], dim=2)
        k, v = k.squeeze(2), v.squeeze(2)
        # heads are only more rows: (B, T*H, hd) x (B, hd, T)
        s = torch.bmm(q.flatten(1, 2), k.transpose(1, 2)).view(B, T, self.num_heads, T)
        s = s.transpose(1, 2) * self.head_dim ** -0.5
        if attention_mask is not None:
            s = s + torch.zeros_like(s).masked_fill_(attention_mask == 0, float("-inf"))
        a = F.softmax(s, dim=-1).transpose(1, 2).reshape(B, T * self.num_heads, T)
        return self.dense(torch.bmm(a, v).view(B, T, C))
