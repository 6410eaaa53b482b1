import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """fairseq style: heads are folded into the batch axis, so that bmm can be used"""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.dropout = dropout
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _fold(self, t):
        bsz, seq, _ = t.shape
        t = t.view(bsz, seq, self.num_heads, self.head_dim)
        return t.transpose(1, 2).reshape(bsz * self.num_heads, seq, self.head_dim)

    def _fold_mask(self, mask, bsz, seq):
        mask = mask.expand(bsz, self.num_heads, seq, seq)
        return mask.transpose(0, 1).reshape(self.num_heads * bsz, seq, seq)

    def forward(self, x, attention_mask=None):
        bsz, seq, _ = x.shape
        q = self._fold(self.q_proj(x) * self.scaling)
        k = self._fold(self.k_proj(x))
        v = self._fold(self.v_proj(x))
        attn_weights = torch.bmm(q, k.transpose(1, 2))
        if attention_mask is not None:
            hidden = self._fold_mask(attention_mask, bsz, seq) == 0
            attn_weights = attn_weights.masked_fill(hidden, float("-inf"))
        attn_probs = F.dropout(F.softmax(attn_weights, dim=-1), self.dropout, self.training)
        attn = torch.bmm(attn_probs, v)
        attn = attn.view(bsz, self.num_heads, seq, self.head_dim).transpose(1, 2)
        return self.out_proj(attn.reshape(bsz, seq, self.embed_dim))
