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

    def forward(self, x, allowed=None):
        k, q, v = self.key(x), self.query(x), self.value(x)  # (B,T,hs)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5  # (B,T,T)
        if allowed is not None:
            wei = wei.masked_fill(allowed == 0, torch.finfo(wei.dtype).min)
        wei = self.dropout(F.softmax(wei, dim=-1))
        return wei @ v


class MultiHeadAttention(nn.Module):
    """ several heads, run one after the other """

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        head_size = hidden_dim // num_heads
        self.heads = nn.ModuleList([Head(hidden_dim, head_size, dropout) for _ in range(num_heads)])
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        if attention_mask is None:
            masks = [None] * len(self.heads)
        else:
            masks = attention_mask.expand(B, len(self.heads), T, T).unbind(1)
        out = torch.cat([h(x, m) for h, m in zip(self.heads, masks)], dim=-1)
        return self.proj(out)
