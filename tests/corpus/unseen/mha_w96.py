import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.q_linear = nn.Linear(hidden_dim, hidden_dim)
        self.k_linear = nn.Linear(hidden_dim, hidden_dim)
        self.v_linear = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _prepare_mask(self, mask):
        mask = mask.squeeze()
        if mask.dim() <= 2:
            # padding, (batch, length)
            mask = mask.view(-1, 1, 1, mask.shape[-1])
        elif mask.dim() == 3:
            # one for all heads, (batch, length, length)
            mask = mask.unsqueeze(1)
        return mask == 0

    def forward(self, x, attention_mask=None):
        bs, n, width = x.shape
        q = self.q_linear(x).view(bs, n, self.h, self.d).transpose(1, 2)
        k = self.k_linear(x).view(bs, n, self.h, self.d).transpose(1, 2)
        v = self.v_linear(x).view(bs, n, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if attention_mask is not None:
            scores = scores.masked_fill(self._prepare_mask(attention_mask), torch.finfo(scores.dtype).min)
        probs = self.dropout(torch.softmax(scores, dim=-1))
        concat = (probs @ v).transpose(1, 2).reshape(bs, n, width)
        return self.out(concat)
