import torch
import torch.nn.functional as F
from torch import nn

class SelfAttentionV4(nn.Module):

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.dropout = dropout
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q = self.q(x)                                   # B,T,C
        k = self.k(x)                                   # B,T,C
        v = self.v(x)                                   # B,T,C
        wei = q @ k.transpose(-2, -1) * C ** -0.5       # B,T,T
        if attention_mask is not None:
            wei = wei.masked_fill(attention_mask == 0, float('-inf'))
        wei = F.softmax(wei, dim=-1)
        wei = F.dropout(wei, self.dropout)
        return wei @ v
