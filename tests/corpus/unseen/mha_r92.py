import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Letters: b batch, i/j positions, d model width, h heads, c channels of a head."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.h = num_heads
        self.c = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def cut(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.h, self.c))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.cut(self.q(x)), self.cut(self.k(x)), self.cut(self.v(x))
        s = torch.einsum("bihc,bjhc->bhij", q, k) * self.c**-0.5
        if attention_mask is not None:
            s = s.masked_fill(~attention_mask.bool(), torch.finfo(s.dtype).min)
        a = self.drop(torch.softmax(s, dim=-1))
        y = torch.einsum("bhij,bjhc->bihc", a, v)
        return self.o(y.reshape(x.shape))
