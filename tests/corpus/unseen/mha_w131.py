import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    """fairseq layout: everything is folded to (bsz * num_heads, len, head_dim)."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        assert self.head_dim * num_heads == hidden_dim, "hidden_dim must be divisible by num_heads"
        self.scaling = self.head_dim ** -0.5
        self.dropout = dropout
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _fold(self, t, length, bsz):
        return t.contiguous().view(length, bsz * self.num_heads, self.head_dim).transpose(0, 1)

    def _fold_mask(self, mask, bsz, length):
        if mask.size(1) == 1:
            mask = mask.repeat(self.num_heads, 1, 1, 1)
        return mask.reshape(bsz * self.num_heads, -1, length)

    def forward(self, x, attention_mask=None):
        bsz, length, _ = x.size()
        x = x.transpose(0, 1)  # T x B x C
        q = self._fold(self.q_proj(x) * self.scaling, length, bsz)
        k = self._fold(self.k_proj(x), length, bsz)
        v = self._fold(self.v_proj(x), length, bsz)

        attn_weights = torch.bmm(q, k.transpose(1, 2))
        if attention_mask is not None:
            keep = self._fold_mask(attention_mask, bsz, length).to(torch.bool)
            attn_weights = attn_weights.masked_fill(~keep, float("-inf"))
        attn_probs = F.dropout(attn_weights.softmax(-1), p=self.dropout, training=self.training)

        attn = torch.bmm(attn_probs, v)
        attn = attn.transpose(0, 1).contiguous().view(length, bsz, self.embed_dim)
        return self.out_proj(attn).transpose(0, 1)
