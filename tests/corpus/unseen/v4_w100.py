import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class SelfAttentionV4(nn.Module):
    """ one head of self-attention """

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout1d(dropout)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q, k, v = self.q(x), self.k(x), self.v(x)
        wei = q @ k.transpose(-2, -1) / math.sqrt(C) # (B, T, C) @ (B, C, T) -> (B, T, T)
        if attention_mask is not None:
            wei = wei.masked_fill(attention_mask == 0, float('-inf'))
        wei = F.softmax(wei, dim=-1)
        wei = self.drop(wei)
        return wei @ v
