"""Self-attention. Talking points: O(T^2) memory, mask semantics (1 = attend), no output projection here."""
import math
from typing import Optional

import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super(SelfAttentionV4, self).__init__()
        self.q_proj, self.k_proj, self.v_proj = [nn.Linear(hidden_dim, hidden_dim, bias=b) for b in (True, False, True)]
        self.attn_drop = nn.Dropout(dropout)

    @property
    def hidden_dim(self):
        return self.q_proj.in_features

    def forward(self, x: torch.Tensor, attention_mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        bsz, seqlen, _ = x.size()
        q = self.q_proj(x)                                      # (B, T, D)
        k = self.k_proj(x)                                      # (B, T, D)
        v = self.v_proj(x)                                      # (B, T, D)
        scores = x.new_empty(bsz, seqlen, seqlen)
        scores = torch.baddbmm(scores, q, k.transpose(1, 2), beta=0, alpha=1 / math.sqrt(self.hidden_dim))
        if attention_mask is not None:
            keep = attention_mask > 0 if attention_mask.dtype != torch.bool else attention_mask
            scores[~keep] = float("-inf")                       # boolean indexing, writes in place
        return torch.bmm(self.attn_drop(scores.softmax(-1)), v)
