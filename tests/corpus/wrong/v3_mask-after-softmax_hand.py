# wrong: v3 mask-after-softmax line 22
# fair: mask-after-softmax 20 22
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attn(nn.Module):

    def __init__(self, dim, dropout=0.1):
        super().__init__()
        self.in_proj = nn.Linear(dim, 3 * dim, bias=False)
        self.o_proj = nn.Linear(dim, dim, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.norm = dim ** -0.5

    def forward(self, x, mask=None):
        xq, xk, xv = self.in_proj(x).chunk(3, dim=-1)
        scores = torch.matmul(xq, xk.transpose(1, 2)) * self.norm
        scores = F.softmax(scores, dim=-1)
        if mask is not None:
            scores = scores * (mask != 0).to(scores.dtype)
        scores = self.dropout(scores)
        return self.o_proj(torch.matmul(scores, xv))
