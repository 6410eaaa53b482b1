import torch
import torch.nn as nn
import torch.nn.functional as F


class ScaledDotProductAttention(nn.Module):
    ''' Scaled Dot-Product Attention '''

    def __init__(self, temperature, attn_dropout):
        super().__init__()
        self.temperature = temperature
        self.dropout = nn.Dropout(attn_dropout)

    def forward(self, q, k, v, mask=None):
        attn = torch.matmul(q / self.temperature, k.transpose(2, 3))
        if mask is not None:
            attn = attn.masked_fill(mask == 0, float('-inf'))
        attn = self.dropout(F.softmax(attn, dim=-1))
        return torch.matmul(attn, v)


class MultiHeadAttention(nn.Module):
    ''' Multi-Head Attention module '''

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.n_head = num_heads
        self.d_k = hidden_dim // num_heads
        self.w_qs = nn.Linear(hidden_dim, num_heads * self.d_k, bias=False)
        self.w_ks = nn.Linear(hidden_dim, num_heads * self.d_k, bias=False)
        self.w_vs = nn.Linear(hidden_dim, num_heads * self.d_k, bias=False)
        self.fc = nn.Linear(num_heads * self.d_k, hidden_dim, bias=False)
        self.attention = ScaledDotProductAttention(self.d_k ** 0.5, dropout)

    def forward(self, x, attention_mask=None):
        sz_b, len_q, _ = x.size()
        q = self.w_qs(x).view(sz_b, len_q, self.n_head, self.d_k).transpose(1, 2)
        k = self.w_ks(x).view(sz_b, len_q, self.n_head, self.d_k).transpose(1, 2)
        v = self.w_vs(x).view(sz_b, len_q, self.n_head, self.d_k).transpose(1, 2)
        mask = attention_mask
        if mask is not None:
            mask = mask.unsqueeze(1)   # for head axis broadcasting
        out = self.attention(q, k, v, mask=mask)
        out = out.transpose(1, 2).contiguous().view(sz_b, len_q, -1)
        return self.fc(out)
