import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, d_in, d_out, dropout=0.1, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        queries, keys, values = self.query(x), self.key(x), self.value(x)
        attn_scores = torch.bmm(queries, keys.transpose(1, 2))
        if mask is not None:
            attn_scores.masked_fill_(mask.bool().logical_not(), -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values
