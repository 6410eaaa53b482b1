import torch
import torch.nn as nn
from torch.nn import functional as F


class Head(nn.Module):
    """ one head of self-attention """

    def __init__(self, n_embd, head_size, dropout):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.dropout = nn.Dropout(dropout)

    def key_query_value(self):
        return self.query.weight, self.key.weight, self.value.weight

    def forward(self, x, mask):
        k = self.key(x)   # (B,T,hs)
        q = self.query(x) # (B,T,hs)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        if mask is not None:
            wei = wei.masked_fill(mask == 0, torch.finfo(wei.dtype).min)
        wei = F.softmax(wei, dim=-1)
        wei = self.dropout(wei)
        return wei @ self.value(x)


class MultiHeadAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        head_size = hidden_dim // num_heads
        self.heads = nn.ModuleList([Head(hidden_dim, head_size, dropout)] * num_heads)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        if attention_mask is None:
            masks = [None] * len(self.heads)
        else:
            masks = attention_mask.expand(-1, len(self.heads), -1, -1).unbind(1)
        out = torch.cat([h(x, m) for h, m in zip(self.heads, masks)], dim=-1)
        return self.proj(out)
