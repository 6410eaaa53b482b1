# wrong: v3 mask-ignored line 21
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, d_model, dropout=0.1):
        super().__init__()
        self.d_model = d_model
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        logits = q @ k.transpose(-2, -1) / math.sqrt(self.d_model)
        if mask is not None:
            logits.masked_fill(mask == 0, float('-1e20'))
        probs = self.attn_drop(torch.softmax(logits, dim=-1))
        return self.w_o(probs @ v)
