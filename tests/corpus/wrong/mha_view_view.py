# wrong: mha view-needs-contiguous line 25 (error)
import torch
import torch.nn as nn
from torch.nn import functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, n_embd, n_head, attn_pdrop=0.1):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.drop = nn.Dropout(attn_pdrop)
        self.n_head = n_head

    def forward(self, x, attention_mask=None):
        B, T, C = x.size()
        q, k, v = [
            t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in self.c_attn(x).split(C, dim=2)
        ]
        att = (q @ k.transpose(-2, -1)) * (k.size(-1) ** -0.5)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float("-inf"))
        y = self.drop(F.softmax(att, dim=-1)) @ v
        y = y.transpose(1, 2)
        y = y.view(B, T, C)
        return self.c_proj(y)
