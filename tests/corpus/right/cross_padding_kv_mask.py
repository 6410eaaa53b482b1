# right: cross
"""One packed (3D, D) weight, sliced where it is used; the mask says which keys are real: (B, Tk)."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, model_dim, nhead, dropout=0.1):
        super().__init__()
        self.nhead = nhead
        self.in_proj = nn.Linear(model_dim, 3 * model_dim)
        self.out = nn.Linear(model_dim, model_dim)
        self.dropout = dropout

    def project(self, index, x):
        weight = self.in_proj.weight.chunk(3)[index]
        bias = self.in_proj.bias.chunk(3)[index]
        return F.linear(x, weight, bias).unflatten(-1, (self.nhead, -1)).transpose(1, 2)

    def forward(self, tgt, memory_key, memory_value, memory_mask=None):
        q, k, v = self.project(0, tgt), self.project(1, memory_key), self.project(2, memory_value)
        logits = torch.matmul(q, k.transpose(-1, -2)) / (q.size(-1) ** 0.5)
        if memory_mask is not None:
            assert memory_mask.dim() == 2, "memory_mask is (batch, keys)"
            logits = logits.masked_fill(memory_mask[:, None, None, :] == 0, float("-inf"))
        weights = F.dropout(logits.softmax(-1), p=self.dropout, training=self.training)
        return self.out(torch.matmul(weights, v).transpose(1, 2).flatten(2))
