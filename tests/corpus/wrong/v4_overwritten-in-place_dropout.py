# wrong: v4 overwritten-in-place line 13
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    """fused q/k/v, memory-conscious: no extra (T, T) tensors where it can be helped"""

    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.fused = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout, inplace=True)

    def forward(self, x, attention_mask=None):
        q, k, v = self.fused(x).chunk(3, -1)
        s = torch.bmm(q, k.mT).mul_(self.hidden_dim ** -0.5)
        if attention_mask is not None:
            s.masked_fill_(attention_mask.eq(0), -torch.inf)
        return torch.bmm(self.drop(s.softmax(-1)), v)
