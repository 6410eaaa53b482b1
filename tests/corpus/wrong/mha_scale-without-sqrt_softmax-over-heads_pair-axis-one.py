# wrong: mha scale-without-sqrt line 28, softmax-over-heads line 31
# fair: scale-without-sqrt 24 28
import torch
import torch.nn as nn
from torch import Tensor
from typing import Optional


class MultiHeadAttention(nn.Module):
    def __init__(self, n_state: int, n_head: int, dropout: float = 0.0):
        super().__init__()
        self.n_head: int = n_head
        self.query = nn.Linear(n_state, n_state)
        self.key = nn.Linear(n_state, n_state, bias=False)
        self.value = nn.Linear(n_state, n_state)
        self.out = nn.Linear(n_state, n_state)

    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        q, k, v = self.query(x), self.key(x), self.value(x)
        return self.out(self.qkv_attention(q, k, v, mask))

    def qkv_attention(self, q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor]) -> Tensor:
        n_batch, n_ctx, n_state = q.shape
        scale = n_state // self.n_head
        q = q.view(*q.shape[:2], self.n_head, -1).permute(0, 2, 1, 3)
        k = k.view(*k.shape[:2], self.n_head, -1).permute(0, 2, 3, 1)
        v = v.view(*v.shape[:2], self.n_head, -1).permute(0, 2, 1, 3)
        qk = (q @ k) / scale
        if mask is not None:
            qk = qk.masked_fill(mask == 0, -1e9)
        w = torch.softmax(qk, 1)
        return (w @ v).permute(0, 2, 1, 3).flatten(start_dim=2)
