# wrong: causal mask-after-softmax line 31
# fair: mask-after-softmax 30 31
import torch
from torch import nn
import torch.nn.functional as F


class DecoderAttention(nn.Module):
    """Maskierte Selbstaufmerksamkeit.

    Args:
        dim: Breite des Modells
        heads: Anzahl der Köpfe
        block_size: größte Länge
    """

    def __init__(self, dim, heads, block_size, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.attn_in = nn.Linear(dim, 3 * dim)
        self.attn_out = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("lower", torch.ones(block_size, block_size).tril())

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.attn_in(x).view(B, T, 3, self.heads, C // self.heads).transpose(1, 3).unbind(2)
        # q: (B, heads, T, C / heads)
        gewichte = q @ k.transpose(-2, -1) / (C // self.heads) ** 0.5
        gewichte = F.softmax(gewichte, dim=-1)
        gewichte = gewichte * self.lower[:T, :T].to(gewichte.dtype)
        gewichte = self.drop(gewichte)
        y = (gewichte @ v).transpose(1, 2).reshape(B, T, C)
        return self.attn_out(y)
