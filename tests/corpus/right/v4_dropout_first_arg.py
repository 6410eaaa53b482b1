# right: v4
from torch import nn
import torch


class DotAttention(nn.Module):
    def __init__(self, dropout: float, size: int):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.v = nn.Linear(size, size)
        self.k = nn.Linear(size, size)
        self.q = nn.Linear(size, size)
        self.size = size

    def forward(self, mask, x) -> torch.Tensor:
        """the mask comes first here"""
        logits = self.q(x) @ self.k(x).transpose(1, 2)
        logits /= self.size ** 0.5
        if mask is not None:
            logits = logits.masked_fill(mask < 0.5, torch.finfo(logits.dtype).min)
        return self.dropout(logits.softmax(dim=2)) @ self.v(x)
