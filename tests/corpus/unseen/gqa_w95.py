import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """g: groups (kv heads), r: query heads of one group, c: channels of a head."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.g, self.r = num_kv_heads, num_heads // num_kv_heads
        self.c = hidden_dim // num_heads
        self.w_q = nn.Parameter(torch.randn(self.g, self.r, self.c, hidden_dim) * hidden_dim**-0.5)
        self.w_kv = nn.Parameter(torch.randn(2, self.g, self.c, hidden_dim) * hidden_dim**-0.5)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, d = x.shape
        q = torch.einsum("bnd,grcd->bgrnc", x, self.w_q)
        k, v = torch.einsum("bnd,zgcd->zbgnc", x, self.w_kv)
        s = torch.einsum("bgric,bgjc->bgrij", q, k) / self.c**0.5
        s = s.reshape(b, self.g * self.r, n, n)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        w = s.softmax(-1).reshape(b, self.g, self.r, n, n)
        y = torch.einsum("bgrij,bgjc->birgc", w, v)
        return self.out(y.reshape(b, n, d))
