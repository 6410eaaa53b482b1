from dataclasses import dataclass, field

import torch
from torch import nn
from torch.func import vmap


@dataclass(frozen=True)
class Spec:
    model: int
    heads: int
    rate: float = 0.1
    width: int = field(init=False)

    def __post_init__(self):
        if self.model % self.heads:
            raise ValueError("model width must be a multiple of the number of heads")
        object.__setattr__(self, "width", self.model // self.heads)


def scores_of(q, k):
    """(L, d), (L, d) -> (L, L)"""
    return q @ k.T * k.shape[-1] ** -0.5


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.spec = Spec(hidden_dim, num_heads, dropout)
        # per head: q then k then v, head after head
        self.to_qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.mix = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        s = self.spec
        packed = self.to_qkv(x).unflatten(-1, (s.heads, 3, s.width))
        # (B, L, H, 3, d) -> three times (B, H, L, d)
        q, k, v = packed.permute(3, 0, 2, 1, 4)
        logits = vmap(vmap(scores_of))(q, k)
        if attention_mask is not None:
            visible = attention_mask.to(torch.bool)
            logits = logits.where(visible, logits.new_tensor(torch.finfo(logits.dtype).min))
        probs = self.drop(torch.softmax(logits, dim=-1))
        merged = torch.einsum("bhqk,bhkd->bqhd", probs, v).flatten(2)
        return self.mix(merged)
