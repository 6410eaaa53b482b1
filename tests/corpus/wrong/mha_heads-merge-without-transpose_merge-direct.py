# wrong: mha heads-merge-without-transpose line 29
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.linear = nn.Linear(d_model, d_model)
        self.dropout = dropout

    def forward(self, x, attn_mask=None):
        batch_size = x.size(0)
        q_s = self.W_Q(x).view(batch_size, -1, self.n_heads, self.d_head).transpose(1, 2)
        k_s = self.W_K(x).view(batch_size, -1, self.n_heads, self.d_head).transpose(1, 2)
        v_s = self.W_V(x).view(batch_size, -1, self.n_heads, self.d_head).transpose(1, 2)
        scores = torch.matmul(q_s, k_s.transpose(-1, -2)) / math.sqrt(self.d_head)
        if attn_mask is not None:
            scores.masked_fill_(attn_mask == 0, -1e9)
        attn = F.dropout(F.softmax(scores, dim=-1), self.dropout, training=self.training)
        context = torch.matmul(attn, v_s)
        context = context.reshape(batch_size, -1, self.n_heads * self.d_head)
        return self.linear(context)
