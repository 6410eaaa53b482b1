# wrong: v4 detached line 18
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.W = nn.Parameter(torch.randn(3, hidden_dim, hidden_dim) / hidden_dim ** 0.5)
        self.dropout = dropout

    def forward(self, x, attention_mask=None):
        q, k, v = torch.matmul(x.unsqueeze(0), self.W.unsqueeze(1))
        logits = q @ k.transpose(1, 2) / q.size(-1) ** 0.5
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, float("-inf"))
        weights = F.softmax(logits, -1).data
        return F.dropout(weights, self.dropout, self.training) @ v
