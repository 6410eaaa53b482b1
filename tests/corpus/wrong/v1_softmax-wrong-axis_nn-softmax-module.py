# wrong: v1 softmax-wrong-axis line 14
import torch
import torch.nn as nn


class SingleHeadAttention(nn.Module):

    def __init__(self, d_in, d_out=None, qkv_bias=False):
        super().__init__()
        d_out = d_out or d_in
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.softmax = nn.Softmax(dim=1)
        self.scale = d_out ** -0.5

    def forward(self, x):
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries.matmul(keys.mT).mul(self.scale)
        attn_weights = self.softmax(attn_scores)
        context_vec = attn_weights.matmul(values)
        return context_vec
