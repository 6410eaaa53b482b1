# wrong: v1 value-not-projected line 22
import torch
import torch.nn as nn
from math import sqrt


class SimpleSelfAttention(nn.Module):
    def __init__(self, emb_dim, qkv_bias=True):
        super().__init__()
        self.emb_dim = emb_dim
        self.wq = nn.Linear(emb_dim, emb_dim, bias=qkv_bias)
        self.wk = nn.Linear(emb_dim, emb_dim, bias=qkv_bias)
        self.wv = nn.Linear(emb_dim, emb_dim, bias=qkv_bias)

    def forward(self, x):
        b, num_tokens, d = x.shape
        queries = self.wq(x)
        keys = self.wk(x)
        values = self.wv(x)
        attn_scores = queries @ keys.mT
        attn_weights = torch.softmax(attn_scores / sqrt(self.emb_dim), dim=-1)
        context_vec = attn_weights @ x
        return context_vec
