# wrong: v4 key-not-projected line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttn(nn.Module):
    def __init__(self, input_dim, dropout=0.1):
        super().__init__()
        self.input_dim = input_dim
        self.q_proj = nn.Linear(input_dim, input_dim)
        self.k_proj = nn.Linear(input_dim, input_dim)
        self.v_proj = nn.Linear(input_dim, input_dim)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(input_dim, input_dim)

    def forward(self, x, attention_mask=None):
        # 自己注意：q と k の内積
        q = self.q_proj(x)
        v = self.v_proj(x)
        attn = torch.einsum('bid,bjd->bij', q, x) / (self.input_dim ** 0.5)
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask < 0.5, float('-inf'))
        attn = self.dropout(F.softmax(attn, dim=-1))
        return self.out(attn @ v)
