# wrong: v4 dropout-in-eval line 20
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.dim = hidden_dim
        self.p = dropout
        self.in_proj_weight = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.in_proj_weight(x).unflatten(-1, (3, self.dim)).unbind(-2)
        logits = (q @ k.transpose(-2, -1)) * (1.0 / self.dim ** 0.5)
        if attention_mask is not None:
            bias = torch.zeros_like(logits).masked_fill(attention_mask == 0, -1e9)
            logits = logits + bias
        return F.dropout(F.softmax(logits, dim=-1), self.p) @ v
