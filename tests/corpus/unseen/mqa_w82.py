import math
import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wkv = nn.Linear(hidden_dim, 2 * self.d, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        q = self.Wq(x).view(b, t, self.h, self.d).transpose(1, 2)  # b h t d

        source = x
        if attention_mask is not None:
            attention_mask = attention_mask != 0
            if attention_mask.shape[-2] == 1:
                # padding only: do not project what nobody reads
                longest = int(attention_mask.sum(-1).max())
                source = x[:, :longest]
                attention_mask = attention_mask[..., :longest]
        k, v = self.Wkv(source).unsqueeze(1).chunk(2, dim=-1)  # b 1 s d

        att = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if attention_mask is not None:
            att = att.masked_fill(~attention_mask, torch.finfo(att.dtype).min)
        y = torch.softmax(att, -1) @ v
        return self.Wo(y.transpose(1, 2).reshape(b, t, -1))
