# right: attention-module
# As torch keeps it: one in_proj_weight, heads folded into the batch, masks made floats and summed.
import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim = embed_dim // num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    @staticmethod
    def _canonical(mask, like):
        if mask is None or mask.dtype != torch.bool:
            return mask
        return torch.zeros_like(mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        bsz, tgt_len, embed_dim = query.shape
        src_len = key.shape[1]
        w_q, w_k, w_v = self.in_proj_weight.chunk(3)
        b_q, b_k, b_v = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)

        def fold(x, w, b):
            x = F.linear(x.transpose(0, 1), w, b).contiguous()
            return x.view(x.shape[0], bsz * self.num_heads, self.head_dim).transpose(0, 1)

        q, k, v = fold(query, w_q, b_q), fold(key, w_k, b_k), fold(value, w_v, b_v)
        attn_mask = self._canonical(attn_mask, q)
        if attn_mask is not None and attn_mask.dim() == 2:
            attn_mask = attn_mask.unsqueeze(0)
        key_padding_mask = self._canonical(key_padding_mask, q)
        if key_padding_mask is not None:
            key_padding_mask = (
                key_padding_mask.view(bsz, 1, 1, src_len)
                .expand(-1, self.num_heads, -1, -1)
                .reshape(bsz * self.num_heads, 1, src_len)
            )
            attn_mask = key_padding_mask if attn_mask is None else attn_mask + key_padding_mask
        scores = torch.bmm(q * self.head_dim**-0.5, k.transpose(-2, -1))
        if attn_mask is not None:
            scores = scores + attn_mask
        attn = F.softmax(scores, dim=-1)
        attn = F.dropout(attn, self.dropout, self.training)
        out = torch.bmm(attn, v).transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        out = self.out_proj(out).transpose(0, 1)
        if not need_weights:
            return out, None
        attn = attn.view(bsz, self.num_heads, tgt_len, src_len)
        return out, attn.mean(dim=1) if average_attn_weights else attn
