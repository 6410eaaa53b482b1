from __future__ import annotations

import torch
from torch import Tensor, nn


class HandMadeDropout:
    """Mixin: inverted dropout without nn.Dropout, on while the module trains."""

    training: bool
    rate: float

    def thin_out(self, t: Tensor) -> Tensor:
        if not (self.training and self.rate > 0.0):
            return t
        if self.rate >= 1.0:
            return t * 0.0
        survive = torch.empty_like(t, requires_grad=False).bernoulli_(1.0 - self.rate)
        return t * survive.div_(1.0 - self.rate)


class MultiHeadAttention(HandMadeDropout, nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        head_dim, rest = divmod(hidden_dim, num_heads)
        assert rest == 0, "hidden_dim must be a multiple of num_heads"
        self.rate = dropout
        # one matrix per role and head:  (q|k|v, head, in, out)
        self.inward = nn.Parameter(torch.empty(3, num_heads, hidden_dim, head_dim))
        # one matrix per head back to the model's width; their sum is the output projection
        self.outward = nn.Parameter(torch.empty(num_heads, head_dim, hidden_dim))
        self.bias = nn.Parameter(torch.zeros(hidden_dim))
        for w in (self.inward, self.outward):
            nn.init.normal_(w, std=hidden_dim**-0.5)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = torch.einsum("bli,rhio->rbhlo", x, self.inward)
        scores = torch.einsum("bhqo,bhko->bhqk", q * q.shape[-1] ** -0.5, k)
        # half precision goes up to float32 for the softmax, anything wider stays
        wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
        if attention_mask is not None:
            wide = wide.masked_fill(attention_mask == 0, torch.finfo(wide.dtype).min)
        weights = self.thin_out(wide.softmax(-1)).to(v.dtype)
        return torch.einsum("bhqk,bhko,hoi->bqi", weights, v, self.outward) + self.bias
