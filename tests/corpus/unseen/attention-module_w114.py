import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiheadAttention(nn.Module):

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert embed_dim % num_heads == 0
        self.embed_dim = embed_dim
        self.n_head = num_heads
        self.d_k = embed_dim // num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.W_k = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.W_v = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.W_o = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.attn_drop = nn.Dropout(dropout)

    def split(self, x):
        B, L, _ = x.shape
        return x.view(B, L, self.n_head, self.d_k).transpose(1, 2)

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
    ):
        B, T, _ = query.shape
        S = key.shape[1]

        Q = self.split(self.W_q(query))  # (B, H, T, d_k)
        K = self.split(self.W_k(key))    # (B, H, S, d_k)
        V = self.split(self.W_v(value))  # (B, H, S, d_k)

        scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(self.d_k)

        if attn_mask is not None:
            if attn_mask.dim() == 2:
                attn_mask = attn_mask.unsqueeze(0).unsqueeze(0)
            else:
                attn_mask = attn_mask.view(B, self.n_head, T, S)
            if attn_mask.dtype == torch.bool:
                scores = scores.masked_fill(~attn_mask, float("-inf"))
            else:
                scores = scores + attn_mask

        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))

        attn = F.softmax(scores, dim=-1)
        context = torch.matmul(self.attn_drop(attn), V)
        context = context.transpose(1, 2).contiguous().view(B, T, self.embed_dim)
        output = self.W_o(context)

        if need_weights:
            if average_attn_weights:
                attn = attn.mean(dim=1)
            return output, attn
        return output, None
