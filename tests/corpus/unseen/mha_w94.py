import torch
from torch import nn, Tensor
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """bmm on (batch * heads, length, head_dim), as fairseq does."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def _fold(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        t = t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(b * self.num_heads, n, self.head_dim)

    def _fold_mask(self, mask: Tensor, n: int) -> Tensor:
        b, h = mask.shape[:2]
        mask = mask.expand(b, h, n, n)
        if h == 1:
            return mask[:, 0].repeat(self.num_heads, 1, 1)
        return mask.reshape(b * h, n, n)

    def forward(self, x: Tensor, attention_mask=None) -> Tensor:
        b, n, c = x.shape
        q, k, v = (self._fold(t) for t in self.in_proj(x).chunk(3, dim=-1))
        w = torch.bmm(q * self.head_dim**-0.5, k.transpose(1, 2))
        if attention_mask is not None:
            w = w.masked_fill(self._fold_mask(attention_mask, n) == 0, torch.finfo(w.dtype).min)
        w = F.dropout(F.softmax(w, dim=-1), p=self.p, training=self.training)
        y = torch.bmm(w, v).view(b, self.num_heads, n, self.head_dim)
        return self.out_proj(y.transpose(1, 2).reshape(b, n, c))
