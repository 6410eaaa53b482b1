import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV2(nn.Module):
    # nanoGPT naming
    def __init__(self, hidden_dim):
        super().__init__()
        self.n_embd = hidden_dim
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        if T == 1:
            # a single token can only look at itself, the weight is 1
            return v
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(C))
        att = F.softmax(att, dim=-1)
        y = att @ v
        return self.c_proj(y)
