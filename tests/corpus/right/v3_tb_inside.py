# right: v3
# fairseq habits: time first inside, batch first at the door
from typing import Optional

import torch
from torch import Tensor, nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    """Single-headed attention over T x B x C tensors."""

    def __init__(self, embed_dim, dropout=0.1, bias=True):
        super().__init__()
        self.embed_dim = embed_dim
        self.dropout = dropout
        self.scaling = embed_dim ** -0.5
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.k_proj.weight, gain=2 ** -0.5)
        nn.init.xavier_uniform_(self.v_proj.weight, gain=2 ** -0.5)
        nn.init.xavier_uniform_(self.q_proj.weight, gain=2 ** -0.5)
        nn.init.xavier_uniform_(self.out_proj.weight)
        if self.out_proj.bias is not None:
            nn.init.constant_(self.out_proj.bias, 0.0)

    def forward(self, query: Tensor, attn_mask: Optional[Tensor] = None, need_weights: bool = False):
        query = query.transpose(0, 1)
        tgt_len, bsz, embed_dim = query.size()
        assert embed_dim == self.embed_dim

        q = self.q_proj(query) * self.scaling
        k = self.k_proj(query)
        v = self.v_proj(query)
        q, k, v = (t.contiguous().view(tgt_len, bsz, embed_dim).transpose(0, 1) for t in (q, k, v))

        attn_weights = torch.bmm(q, k.transpose(1, 2))
        assert list(attn_weights.size()) == [bsz, tgt_len, tgt_len]
        if attn_mask is not None:
            attn_weights = attn_weights.masked_fill(~attn_mask.to(torch.bool), float("-inf"))

        attn_weights_float = F.softmax(attn_weights, dim=-1, dtype=torch.float32)
        attn_probs = F.dropout(attn_weights_float.type_as(attn_weights), p=self.dropout, training=self.training)
        attn = torch.bmm(attn_probs, v).transpose(0, 1)          # T x B x C
        attn = self.out_proj(attn)
        return attn.transpose(0, 1), (attn_weights_float if need_weights else None)
