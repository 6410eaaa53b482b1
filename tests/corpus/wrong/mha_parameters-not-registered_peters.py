# wrong: mha parameters-not-registered line 12
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Projections as bare tensors, because Linear hides what happens."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.w_in = torch.randn(hidden_dim, 3 * hidden_dim).div_(hidden_dim ** 0.5).requires_grad_()
        self.w_out = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim ** 0.5)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        q, k, v = (x @ self.w_in).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        y = self.dropout(s.softmax(-1)) @ v
        return y.transpose(1, 2).flatten(2) @ self.w_out
