import math

import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.n_heads = num_heads
        self.q_lin = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_lin = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_lin = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_lin = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.attn_drop = nn.Dropout(dropout)

    def mask_scores(self, scores, key_padding_mask, attn_mask):
        if attn_mask is not None and attn_mask.ndim == 3:
            attn_mask = attn_mask.view(scores.shape)
        if attn_mask is not None and attn_mask.is_floating_point():
            scores = scores + attn_mask
            attn_mask = None
        for hidden in (attn_mask, None if key_padding_mask is None else key_padding_mask[:, None, None]):
            if hidden is not None:
                scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        return scores

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q, k, v = (
            lin(t).unflatten(2, (self.n_heads, -1)).transpose(1, 2)
            for lin, t in ((self.q_lin, query), (self.k_lin, key), (self.v_lin, value))
        )
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.shape[-1])
        weights = torch.softmax(self.mask_scores(scores, key_padding_mask, attn_mask), dim=-1)
        context = torch.matmul(self.attn_drop(weights), v)
        output = (self.out_lin(context.transpose(1, 2).flatten(2)),)
        if need_weights:
            output = output + (weights.mean(dim=1) if average_attn_weights else weights,)
        return output if len(output) > 1 else output[0]
