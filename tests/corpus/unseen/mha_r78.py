import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """haiku / trax style: DenseGeneral kernels, heads never leave their own axis."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        h, d = num_heads, hidden_dim // num_heads
        mk = lambda *shape: nn.Parameter(torch.randn(*shape) * hidden_dim**-0.5)
        self.wq, self.wk, self.wv = mk(hidden_dim, h, d), mk(hidden_dim, h, d), mk(hidden_dim, h, d)
        self.wo = mk(h, d, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q = torch.einsum("btm,mhd->bthd", x, self.wq)
        k = torch.einsum("bsm,mhd->bshd", x, self.wk)
        v = torch.einsum("bsm,mhd->bshd", x, self.wv)
        logits = torch.einsum("bthd,bshd->bhts", q, k) / (q.shape[-1] ** 0.5)
        if attention_mask is not None:
            logits = torch.where(attention_mask != 0, logits, torch.finfo(logits.dtype).min)
        probs = self.drop(torch.softmax(logits, dim=-1))
        return torch.einsum("bhts,bshd,hdm->btm", probs, v, self.wo)
