import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.p = dropout

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        w = q @ k.transpose(-2, -1) / (k.shape[-1] ** 0.5)
        if attention_mask is not None:
            w = torch.where(attention_mask.bool(), w, float("-inf"))
        w = F.softmax(w, dim=-1)
        w = F.dropout(w, self.p, self.training)
        return self.o(w @ v)
