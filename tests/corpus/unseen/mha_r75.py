# fairseq-like: time first, heads folded into the batch axis, lazily sized layers
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.1):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        assert self.head_dim * num_heads == embed_dim, "embed_dim must be divisible by num_heads"
        self.scaling = self.head_dim**-0.5
        self.dropout_module = nn.Dropout(dropout)
        self.k_proj = nn.LazyLinear(embed_dim)
        self.v_proj = nn.LazyLinear(embed_dim)
        self.q_proj = nn.LazyLinear(embed_dim)
        self.out_proj = nn.LazyLinear(embed_dim)

    def forward(self, x, attention_mask=None):
        query = x.transpose(0, 1)
        tgt_len, bsz, embed_dim = query.size()

        q = self.q_proj(query) * self.scaling
        k = self.k_proj(query)
        v = self.v_proj(query)
        q = q.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        k = k.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        v = v.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        src_len = k.size(1)

        attn_weights = torch.bmm(q, k.transpose(1, 2))
        if attention_mask is not None:
            attn_weights = attn_weights.view(bsz, self.num_heads, tgt_len, src_len)
            attn_weights = attn_weights.masked_fill(
                attention_mask.eq(0), torch.finfo(attn_weights.dtype).min
            )
            attn_weights = attn_weights.view(bsz * self.num_heads, tgt_len, src_len)

        up = torch.float64 if attn_weights.dtype == torch.float64 else torch.float32
        attn_weights_float = F.softmax(attn_weights, dim=-1, dtype=up)
        attn_probs = self.dropout_module(attn_weights_float.type_as(attn_weights))

        attn = torch.bmm(attn_probs, v)
        attn = attn.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        return self.out_proj(attn).transpose(0, 1)
