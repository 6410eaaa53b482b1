import math
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    # einsum letters: b batch, i/j positions, g kv head, r query head inside its group, e head width
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.G = num_kv_heads
        self.R = num_heads // num_kv_heads
        self.E = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.E, bias=False)
        self.wkv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.E, bias=False)
        self.wo = nn.Linear(num_heads * self.E, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        q = self.wq(x).view(B, T, self.R, self.G, self.E)
        k, v = self.wkv(x).view(B, T, 2, self.G, self.E).unbind(2)
        att = torch.einsum("birge,bjge->brgij", q, k) / math.sqrt(self.E)
        att = att.flatten(1, 2)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, -math.inf)
        att = att.softmax(-1).unflatten(1, (self.R, self.G))
        y = torch.einsum("brgij,bjge->birge", att, v)
        return self.wo(y.reshape(B, T, -1))
