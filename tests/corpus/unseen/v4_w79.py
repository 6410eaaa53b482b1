import torch
from torch import nn
from torch.nn import functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.resid_dropout = nn.Dropout(dropout)

    def _weights(self, q, k, mask):
        logits = torch.einsum("b i d, b j d -> b i j", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            logits = torch.where(mask.bool(), logits, torch.finfo(logits.dtype).min)
        return F.softmax(logits, dim=-1)

    def forward(self, x, attention_mask=None):
        a = self._weights(self.wq(x), self.wk(x), attention_mask)
        y = torch.einsum("b i j, b j d -> b i d", a, self.wv(x))
        return self.resid_dropout(self.wo(y))
