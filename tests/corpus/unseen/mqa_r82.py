import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """One key head for all: the query heads are so many more rows of one product."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.heads, self.d = num_heads, hidden_dim // num_heads
        self.inner = nn.Linear(hidden_dim, hidden_dim + 2 * self.d, bias=False)
        self.outer = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, c = x.shape
        everything = self.inner(x)
        k = everything.narrow(-1, c, self.d)
        v = everything.narrow(-1, c + self.d, self.d)
        # a position's heads stay side by side: row t * heads + h
        q = everything.narrow(-1, 0, c).reshape(b, t * self.heads, self.d)
        s = torch.bmm(q, k.transpose(1, 2)).mul_(self.d**-0.5)
        if attention_mask is not None:
            full = attention_mask.expand(b, attention_mask.shape[1], t, t).transpose(1, 2)      # (b, t, heads or 1, t)
            s = s.view(b, t, self.heads, t).masked_fill(full == 0, torch.finfo(s.dtype).min).view(b, -1, t)
        y = torch.bmm(torch.softmax(s, dim=-1), v)
        return self.outer(y.reshape(b, t, c))
