# wrong: mha scale-by-hidden-dim line 30, heads-merge-without-transpose line 38
import numpy as np
import torch
import torch.nn as nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, temperature, attn_dropout=0.1):
        super().__init__()
        self.temperature = temperature
        self.dropout = nn.Dropout(attn_dropout)

    def forward(self, q, k, v, mask=None):
        attn = torch.matmul(q / self.temperature, k.transpose(2, 3))
        if mask is not None:
            attn = attn.masked_fill(mask == 0, -1e9)
        attn = self.dropout(torch.softmax(attn, dim=-1))
        return torch.matmul(attn, v), attn


class MultiHeadAttention(nn.Module):
    def __init__(self, n_head, d_model, dropout=0.1):
        super().__init__()
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.w_qs = nn.Linear(d_model, d_model, bias=False)
        self.w_ks = nn.Linear(d_model, d_model, bias=False)
        self.w_vs = nn.Linear(d_model, d_model, bias=False)
        self.fc = nn.Linear(d_model, d_model, bias=False)
        self.attention = ScaledDotProductAttention(temperature=np.power(d_model, 0.5).item(), attn_dropout=dropout)

    def forward(self, q, k, v, mask=None):
        sz_b, len_q = q.shape[:2]
        q = self.w_qs(q).view(sz_b, -1, self.n_head, self.d_k).transpose(1, 2)
        k = self.w_ks(k).view(sz_b, -1, self.n_head, self.d_k).transpose(1, 2)
        v = self.w_vs(v).view(sz_b, -1, self.n_head, self.d_k).transpose(1, 2)
        out, attn = self.attention(q, k, v, mask=mask)
        out = out.contiguous().view(sz_b, len_q, -1)
        return self.fc(out), attn
