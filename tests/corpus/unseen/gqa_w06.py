import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.kv = num_kv_heads
        self.rep = num_heads // num_kv_heads
        self.hd = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.hd, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q = self.to_q(x).view(B, T, self.kv, self.rep, self.hd).permute(0, 2, 3, 1, 4)
        k, v = self.to_kv(x).view(B, T, 2, self.kv, self.hd).permute(2, 0, 3, 1, 4)
        sim = q @ k.unsqueeze(2).transpose(-1, -2) / self.hd ** 0.5      # B kv rep T T

        if attention_mask is not None:
            m = attention_mask.bool()
            if m.shape[1] != 1:
                m = m.reshape(B, self.rep, self.kv, *m.shape[2:]).transpose(1, 2)
            else:
                m = m[:, None]
            sim = sim.masked_fill(~m, float("-inf"))

        out = sim.softmax(-1) @ v.unsqueeze(2)
        return self.to_out(out.permute(0, 3, 1, 2, 4).reshape(B, T, C))
