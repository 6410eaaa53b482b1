# wrong: v3 dropout-before-softmax line 17
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, dim, dropout=0.1):
        super().__init__()
        for name in ["Wq", "Wk", "Wv", "Wo"]:
            self.add_module(name, nn.Linear(dim, dim))
        self.dropout = nn.Dropout(dropout)
        self.dim = dim

    def forward(self, x, attention_mask=None):
        energy = self.Wq(x).bmm(self.Wk(x).transpose(1, 2)).div(self.dim ** 0.5)
        energy = self.dropout(energy)
        if attention_mask is not None:
            energy = energy.masked_fill(attention_mask == 0, float("-inf"))
        alpha = F.softmax(energy, dim=-1)
        return self.Wo(alpha.bmm(self.Wv(x)))
