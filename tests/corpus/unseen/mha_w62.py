# attn-kata: mha
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        assert self.head_dim * num_heads == hidden_dim
        self.dropout = dropout
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _fold(self, tensor):
        """(bsz, len, embed) -> (bsz * num_heads, len, head_dim)"""
        tensor = tensor.unflatten(2, (self.num_heads, self.head_dim))
        return tensor.permute(0, 2, 1, 3).flatten(0, 1)

    def _fold_mask(self, mask, bsz, length):
        """anything broadcastable -> (bsz * num_heads, len, len)"""
        mask = mask.expand(bsz, -1, length, length)
        if mask.size(1) == 1:
            # the same for all heads
            return mask.squeeze(1).repeat(self.num_heads, 1, 1)
        return mask.flatten(0, 1)

    def forward(self, x, attention_mask=None):
        bsz, length, embed = x.shape
        q = self._fold(self.q_proj(x))
        k = self._fold(self.k_proj(x))
        v = self._fold(self.v_proj(x))

        logits = torch.bmm(q, k.transpose(1, 2)) / self.head_dim**0.5
        if attention_mask is not None:
            keep = self._fold_mask(attention_mask, bsz, length)
            logits = logits.masked_fill(keep == 0, torch.finfo(logits.dtype).min)
        probs = F.softmax(logits, dim=-1)
        probs = F.dropout(probs, p=self.dropout, training=self.training)

        out = torch.bmm(probs, v)                                   # (bsz * num_heads, len, head_dim)
        out = out.unflatten(0, (bsz, self.num_heads)).permute(0, 2, 1, 3).flatten(2)
        return self.out_proj(out)
