# wrong: v3 mask-after-softmax line 19
# fair: mask-after-softmax 17 19
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.resid = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, -1)
        sim = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
        attn = sim.softmax(dim=-1)
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 0, 0.0)
        attn = self.dropout(attn)
        return self.resid(attn @ v)
