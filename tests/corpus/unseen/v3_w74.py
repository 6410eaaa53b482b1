import torch, math
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).split(x.size(-1), -1)
        a = q @ k.transpose(1, 2) / math.sqrt(q.size(-1))
        if attention_mask is not None:
            a = a.masked_fill(attention_mask == 0, float("-inf"))
        a = a.softmax(-1)
        a = F.dropout(a, self.p)
        return self.o(a @ v)
