# wrong: v3 scale-multiplied line 28
import torch
import torch.nn as nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, temperature, attn_dropout=0.1):
        super().__init__()
        self.temperature = temperature
        self.dropout = nn.Dropout(attn_dropout)

    def forward(self, q, k, v, mask=None):
        attn = torch.bmm(q, k.transpose(1, 2))
        attn = attn / self.temperature
        if mask is not None:
            attn = attn.masked_fill(mask == 0, -1e9)
        attn = self.dropout(attn.softmax(dim=2))
        return torch.bmm(attn, v)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q_linear = nn.Linear(hidden_dim, hidden_dim)
        self.k_linear = nn.Linear(hidden_dim, hidden_dim)
        self.v_linear = nn.Linear(hidden_dim, hidden_dim)
        self.out_linear = nn.Linear(hidden_dim, hidden_dim)
        self.attention = ScaledDotProductAttention(temperature=hidden_dim ** -0.5, attn_dropout=dropout)

    def forward(self, x, attention_mask=None):
        out = self.attention(self.q_linear(x), self.k_linear(x), self.v_linear(x), mask=attention_mask)
        return self.out_linear(out)
