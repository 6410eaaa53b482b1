# right: cross
import torch
from torch import Tensor, einsum, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        head = hidden_dim // num_heads
        std = hidden_dim**-0.5
        self.wq = nn.Parameter(torch.randn(num_heads, hidden_dim, head) * std)
        self.wk = nn.Parameter(torch.randn(num_heads, hidden_dim, head) * std)
        self.wv = nn.Parameter(torch.randn(num_heads, hidden_dim, head) * std)
        self.wo = nn.Parameter(torch.randn(num_heads, head, hidden_dim) * std)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q = einsum("bqm,hmd->hbqd", query, self.wq)
        k = einsum("bkm,hmd->hbkd", key, self.wk)
        v = einsum("bkm,hmd->hbkd", value, self.wv)
        logits = einsum("hbqd,hbkd->hbqk", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            # heads lead here, so (B, Tq, Tk) broadcasts as it is
            logits = logits.masked_fill(mask == 0, torch.finfo(logits.dtype).min)
        p = self.dropout(logits.softmax(-1))
        return einsum("hbqk,hbkd,hdm->bqm", p, v, self.wo)
