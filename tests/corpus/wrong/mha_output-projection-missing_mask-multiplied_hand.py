# wrong: mha output-projection-missing line 26, mask-multiplied line 24
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """
    Мультиголовое внимание.
    mask: 1 - видно, 0 - не видно
    """

    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        B, S, D = x.shape
        Q, K, V = (f(x).view(B, S, self.heads, D // self.heads) for f in (self.q, self.k, self.v))
        A = torch.einsum("bshd,bthd->bhst", Q, K) / (D // self.heads) ** 0.5
        if mask is not None:
            A = A * mask.to(A.dtype)
        A = A.softmax(dim=-1)
        return torch.einsum("bhst,bthd->bshd", A, V).reshape(B, S, D)
