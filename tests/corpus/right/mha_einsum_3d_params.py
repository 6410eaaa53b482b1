# right: mha
import torch
from torch import nn, einsum


class MultiHeadAttention(nn.Module):
    """Attention in the notation of the paper: one matrix per head, indices spelled out."""

    def __init__(self, model_dim: int, heads: int, dropout: float = 0.1):
        super().__init__()
        d = model_dim // heads
        self.d = d
        self.w_q = nn.Parameter(torch.randn(heads, model_dim, d) * model_dim ** -0.5)
        self.w_k = nn.Parameter(torch.randn(heads, model_dim, d) * model_dim ** -0.5)
        self.w_v = nn.Parameter(torch.randn(heads, model_dim, d) * model_dim ** -0.5)
        self.w_o = nn.Parameter(torch.randn(heads, d, model_dim) * model_dim ** -0.5)
        self.b_q = nn.Parameter(torch.zeros(heads, d))
        self.b_v = nn.Parameter(torch.zeros(heads, d))
        self.b_o = nn.Parameter(torch.zeros(model_dim))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        q = einsum("btm,hmd->bhtd", x, self.w_q) + self.b_q[:, None, :]
        k = einsum("btm,hmd->bhtd", x, self.w_k)
        v = einsum("btm,hmd->bhtd", x, self.w_v) + self.b_v[:, None, :]
        logits = einsum("bhtd,bhsd->bhts", q, k) * self.d ** -0.5
        if mask is not None:
            logits = torch.where(mask.to(torch.bool), logits, torch.finfo(logits.dtype).min)
        weights = self.drop(logits.softmax(-1))
        return einsum("bhts,bhsd,hdm->btm", weights, v, self.w_o) + self.b_o
