# wrong: mha softmax-wrong-axis line 20
import torch
import torch.nn as nn
import torch.nn.functional as F


class OneHead(nn.Module):
    def __init__(self, width, head_size, p):
        super().__init__()
        self.key = nn.Linear(width, head_size, bias=False)
        self.query = nn.Linear(width, head_size, bias=False)
        self.value = nn.Linear(width, head_size, bias=False)
        self.dropout = nn.Dropout(p)

    def forward(self, x, mask):
        k, q, v = self.key(x), self.query(x), self.value(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        if mask is not None:
            wei = wei.masked_fill(mask == 0, float('-inf'))
        wei = F.softmax(wei, dim=1)
        wei = self.dropout(wei)
        return wei @ v


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        hs = hidden_dim // num_heads
        self.heads = nn.ModuleList([OneHead(hidden_dim, hs, dropout) for _ in range(num_heads)])
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        outs = []
        for i, head in enumerate(self.heads):
            m = None
            if attention_mask is not None:
                m = attention_mask.expand(-1, len(self.heads), -1, -1)[:, i]
            outs.append(head(x, m))
        return self.proj(torch.cat(outs, dim=-1))
