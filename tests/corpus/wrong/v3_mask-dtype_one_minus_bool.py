# wrong: v3 mask-dtype line 26
"""V3: padding and causal masks come in as one (B, L, L) tensor, 1 = attend."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super(SelfAttentionV3, self).__init__()
        self.hidden_dim = hidden_dim
        self.dropout_p = dropout
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        Q = self.q_proj(x)
        K = self.k_proj(x)
        V = self.v_proj(x)

        S = torch.bmm(Q, K.permute(0, 2, 1)) / (self.hidden_dim ** 0.5)
        if attention_mask is not None:
            penalty = (1.0 - attention_mask) * torch.finfo(S.dtype).min
            S = S + penalty.to(S.dtype)

        A = F.softmax(S, dim=-1)
        A = F.dropout(A, p=self.dropout_p, training=self.training)
        return self.o_proj(torch.bmm(A, V))
