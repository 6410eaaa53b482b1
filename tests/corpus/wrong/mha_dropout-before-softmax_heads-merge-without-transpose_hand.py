# wrong: mha dropout-before-softmax line 28, heads-merge-without-transpose line 31
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X, attention_mask=None):
        batch, seq, _ = X.size()
        Q = self.q_proj(X).view(batch, seq, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        K = self.k_proj(X).view(batch, seq, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        V = self.v_proj(X).view(batch, seq, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        att = Q @ K.transpose(-1, -2) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, -1e9)
        att = self.att_dropout(att)
        att = F.softmax(att, dim=-1)
        mid = att @ V
        mid = mid.contiguous().view(batch, seq, -1)
        return self.o_proj(mid)
