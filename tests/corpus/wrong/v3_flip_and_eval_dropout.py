# wrong: v3 mask-inverted line 19, dropout-in-eval line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, n_embd, dropout=0.1):
        super().__init__()
        self.n_embd = n_embd
        self.dropout = dropout
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x, attention_mask=None):
        q, k, v = self.c_attn(x).split(self.n_embd, dim=-1)
        att = q @ k.transpose(-2, -1) * self.n_embd ** -0.5
        if attention_mask is not None:
            att = att.masked_fill(attention_mask != 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = F.dropout(att, p=self.dropout)
        return self.c_proj(att @ v)
