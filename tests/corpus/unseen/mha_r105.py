import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, n_embd, head_size, dropout):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.head_size = head_size

    def forward(self, x, mask):
        wei = self.query(x) @ self.key(x).transpose(-2, -1) * self.head_size ** -0.5
        if mask is not None:
            wei = wei.masked_fill(mask == 0, torch.finfo(wei.dtype).min)
        return self.dropout(wei.softmax(dim=-1)) @ self.value(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = nn.ModuleList([Head(hidden_dim, hidden_dim // num_heads, dropout) for _ in range(num_heads)])
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        if attention_mask is None:
            masks = [None] * len(self.heads)
        else:
            masks = attention_mask.expand(B, len(self.heads), T, T).unbind(1)
        return self.proj(torch.cat([h(x, m) for h, m in zip(self.heads, masks)], dim=-1))
