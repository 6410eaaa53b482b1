import torch
from torch import Tensor, nn
from torch.func import vmap


def _head(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, hidden: Tensor, drop: Tensor) -> Tensor:
    """one sample, one head: (length, hidden_dim) -> its share of the output"""
    s = (x @ wq) @ (x @ wk).t() / wq.shape[-1] ** 0.5
    s = torch.where(hidden, torch.finfo(s.dtype).min, s)
    w = torch.softmax(s, dim=-1) * drop
    return w @ (x @ wv) @ wo


class MultiHeadAttention(nn.Module):
    """One head is written for one sample; vmap makes it many heads, and many samples."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        d, rest = divmod(hidden_dim, num_heads)
        assert not rest, f"{hidden_dim} features cannot be dealt out to {num_heads} heads"
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        std = hidden_dim**-0.5
        self.wq, self.wk, self.wv = (nn.Parameter(torch.randn(num_heads, hidden_dim, d) * std) for _ in range(3))
        self.wo = nn.Parameter(torch.randn(num_heads, d, hidden_dim) * std)
        self.bo = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, _ = x.shape
        shape = (b, self.num_heads, t, t)
        if attention_mask is None:
            hidden = x.new_zeros((), dtype=torch.bool).expand(shape)
        else:
            hidden = attention_mask.eq(0).expand(shape)
        kept = self.dropout(x.new_ones(shape))                     # random numbers are made outside of vmap
        heads = vmap(_head, in_dims=(None, 0, 0, 0, 0, 0, 0))
        parts = vmap(heads, in_dims=(0, None, None, None, None, 0, 0))(
            x, self.wq, self.wk, self.wv, self.wo, hidden, kept
        )
        return parts.sum(1) + self.bo
