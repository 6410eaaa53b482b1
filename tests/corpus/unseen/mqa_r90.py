import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.d = d = hidden_dim // num_heads
        self.proj, self.out = nn.Linear(hidden_dim, hidden_dim + 2 * d), nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        *q, k, v = self.proj(x).split(self.d, dim=-1)  # heads queries, one key, one value
        s = torch.stack(q, 1) @ k.mT[:, None] * self.d**-0.5
        s = s if attention_mask is None else s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        return self.out(torch.cat((s.softmax(-1) @ v[:, None]).unbind(1), -1))
