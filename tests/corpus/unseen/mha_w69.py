import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """Heads folded into the batch, fairseq fashion."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        assert self.head_dim * num_heads == hidden_dim, "embed_dim must be divisible by num_heads"
        self.scaling = self.head_dim**-0.5
        self.dropout_p = dropout
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, t, seq_len, bsz):
        t = t.view(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(bsz * self.num_heads, seq_len, self.head_dim)

    def forward(self, x, attention_mask=None):
        bsz, tgt_len, _ = x.size()
        q = self._shape(self.q_proj(x) * self.scaling, tgt_len, bsz)
        k = self._shape(self.k_proj(x), tgt_len, bsz)
        v = self._shape(self.v_proj(x), tgt_len, bsz)

        attn_weights = torch.bmm(q, k.transpose(1, 2))  # (bsz * heads, tgt, src)

        if attention_mask is not None:
            if attention_mask.size(1) == 1:
                # same for all heads
                mask = attention_mask.expand(bsz, 1, tgt_len, tgt_len).squeeze(1)
                mask = mask.repeat(self.num_heads, 1, 1)
            else:
                mask = attention_mask.expand(bsz, -1, tgt_len, tgt_len)
                mask = mask.reshape(bsz * self.num_heads, tgt_len, tgt_len)
            attn_weights = attn_weights.masked_fill(
                mask == 0, torch.finfo(attn_weights.dtype).min
            )

        attn_weights = F.softmax(attn_weights, dim=-1)
        attn_probs = F.dropout(attn_weights, p=self.dropout_p, training=self.training)
        attn = torch.bmm(attn_probs, v)
        attn = attn.view(bsz, self.num_heads, tgt_len, self.head_dim).transpose(1, 2)
        return self.out_proj(attn.reshape(bsz, tgt_len, self.embed_dim))
