import torch
from torch import nn
import math


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, self.d)
        self.Wv = nn.Linear(hidden_dim, self.d)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q = self.Wq(x).view(b, t, self.h, self.d).transpose(1, 2)
        # 모든 head가 같은 key, value를 본다
        k = self.Wk(x)
        v = self.Wv(x).unsqueeze(1)
        score = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if attention_mask is not None:
            score = score.masked_fill(attention_mask == 0, -math.inf)
        prob = score.softmax(dim=-1)
        out = (prob @ v).transpose(1, 2).contiguous().view(b, t, c)
        return self.Wo(out)
