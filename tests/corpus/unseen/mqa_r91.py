import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """All heads' queries are rows of one matrix, and meet the one key head in one bmm."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H, self.D = num_heads, hidden_dim // num_heads
        self.fused = nn.Linear(hidden_dim, hidden_dim + 2 * self.D, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        B, L, C = x.shape
        H, D = self.H, self.D
        q, kv = self.fused(x).tensor_split((C,), dim=-1)
        k, v = kv.tensor_split(2, dim=-1)
        q = q.reshape(B, L * H, D)  # position major: row l * H + h
        s = torch.bmm(q, k.mT) * D**-0.5
        if attention_mask is not None:
            m = attention_mask.expand(B, H, L, L).transpose(1, 2).reshape(B, L * H, L)
            s = s.masked_fill(m == 0, float("-inf"))
        return self.o(torch.bmm(s.softmax(-1), v).view(B, L, C))
