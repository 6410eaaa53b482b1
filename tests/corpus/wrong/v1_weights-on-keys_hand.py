# wrong: v1 weights-on-keys line 24
import torch
import torch.nn as nn


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in):
        super().__init__()
        self.d_in = d_in
        self.Wq = nn.Parameter(torch.rand(d_in, d_in) / d_in)
        self.Wk = nn.Parameter(torch.rand(d_in, d_in) / d_in)
        self.Wv = nn.Parameter(torch.rand(d_in, d_in) / d_in)

    def forward(self, x):
        keys = x @ self.Wk
        queries = x @ self.Wq
        values = x @ self.Wv

        attn_scores = queries @ keys.transpose(1, 2)
        attn_weights = torch.softmax(
            attn_scores / keys.shape[-1] ** 0.5, dim=-1
        )

        context_vec = attn_weights @ keys
        return context_vec
