# wrong: v4 mask-fill-small line 7
# fair: mask-fill-small 7 20
import math
import torch
import torch.nn as nn

NEG = -1e-9

class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.linears = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim) for _ in range(4)])
        self.dropout = nn.Dropout(p=dropout)
        self.hidden_dim = hidden_dim

    def forward(self, x, attention_mask=None):
        q, k, v = [l(x) for l in self.linears[:3]]
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, NEG)
        p_attn = self.dropout(scores.softmax(dim=-1))
        return self.linears[-1](torch.matmul(p_attn, v))
