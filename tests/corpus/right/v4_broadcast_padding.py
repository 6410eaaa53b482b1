# right: v4 remarks: mask-form, nan-on-empty-row
import torch
from torch import nn, Tensor


class SelfAttentionV4(nn.Module):
    """key_padding: (batch, length), bool, True for real tokens."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.w_q = nn.Linear(hidden_dim, hidden_dim)
        self.w_k = nn.Linear(hidden_dim, hidden_dim)
        self.w_v = nn.Linear(hidden_dim, hidden_dim)
        self.w_o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, key_padding: Tensor | None = None) -> Tensor:
        scores = self.w_q(x) @ self.w_k(x).mT / x.size(-1) ** 0.5
        if key_padding is not None:
            scores = scores.masked_fill(~key_padding[:, None, :], float("-inf"))
        return self.w_o(self.drop(scores.softmax(-1)) @ self.w_v(x))
