import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    # follows torch's own layout: heads folded into the batch, baddbmm with the mask
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim, self.num_heads, self.p = embed_dim, num_heads, dropout
        self.w_q = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.w_k = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.w_v = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.w_o = nn.Linear(embed_dim, embed_dim, bias=bias)

    def fold(self, t):
        b, n, _ = t.shape
        return t.reshape(b, n, self.num_heads, -1).transpose(1, 2).reshape(b * self.num_heads, n, -1)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        bsz, tgt, _ = query.shape
        src = key.shape[1]
        q, k, v = self.fold(self.w_q(query)), self.fold(self.w_k(key)), self.fold(self.w_v(value))
        bias = q.new_zeros(1, tgt, src) if attn_mask is None else attn_mask
        if bias.dtype == torch.bool:
            bias = torch.zeros_like(bias, dtype=q.dtype).masked_fill(bias, float("-inf"))
        if key_padding_mask is not None:
            pad = key_padding_mask.repeat_interleave(self.num_heads, dim=0)[:, None]
            bias = bias.expand(bsz * self.num_heads, tgt, src).masked_fill(pad, float("-inf"))
        logits = torch.baddbmm(bias, q, k.transpose(1, 2))
        probs = F.softmax(logits * q.shape[-1] ** -0.5, dim=-1)
        out = torch.bmm(F.dropout(probs, self.p, self.training), v)
        out = out.view(bsz, self.num_heads, tgt, -1).transpose(1, 2).reshape(bsz, tgt, self.embed_dim)
        if not need_weights:
            return self.w_o(out), None
        probs = probs.view(bsz, self.num_heads, tgt, src)
        return self.w_o(out), (probs.mean(dim=1) if average_attn_weights else probs)
