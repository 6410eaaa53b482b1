# right: mha remarks: fill-overflows-half
import torch
from torch import nn
from torch.nn import functional as F


class Head(nn.Module):
    """one head"""

    def __init__(self, n_embd, head_size, dropout):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        k = self.key(x)
        q = self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        if mask is not None:
            wei = wei.masked_fill(mask == 0, -1e10)
        wei = self.dropout(F.softmax(wei, dim=-1))
        return wei @ self.value(x)


class MultiHead(nn.Module):
    """heads in parallel, then one shared output layer"""

    def __init__(self, num_heads, n_embd, dropout=0.1):
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embd, n_embd // num_heads, dropout) for _ in range(num_heads)])
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x, mask=None):
        if mask is None:
            masks = [None] * len(self.heads)
        else:
            masks = mask.expand(-1, len(self.heads), -1, -1).unbind(1)
        return self.proj(torch.cat([h(x, m) for h, m in zip(self.heads, masks)], dim=-1))
