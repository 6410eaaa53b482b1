import torch
import torch.nn.functional as F
from torch import einsum, nn


class MultiHeadAttention(nn.Module):
    # letters: z batch, s query position, r key position, u head, f feature of a head
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.u, self.f, self.rate = num_heads, hidden_dim // num_heads, dropout
        self.into = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.back = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.into(x).unflatten(-1, (3, self.u, self.f)).unbind(2)
        e = einsum("zsuf,zruf->zusr", q, k).div(self.f ** 0.5)
        if attention_mask is not None:
            e = torch.where(attention_mask != 0, e, torch.full_like(e, torch.finfo(e.dtype).min))
        w = F.dropout(e.softmax(3), p=self.rate, training=self.training)
        return self.back(einsum("zusr,zruf->zsuf", w, v).flatten(2))
