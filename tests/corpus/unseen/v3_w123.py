import math

import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    r"""Scaled dot-product self-attention.

    .. math::
        \mathrm{Attention}(Q, K, V) = \mathrm{softmax}(QK^T / \sqrt{d}) V

    Args:
        hidden_dim: width of the model
        dropout: probability of dropping an element

    Shape:
        - x: :math:`(N, L, E)`
        - attention_mask: :math:`(N, L, L)`, 1 = attend, 0 = do not attend
        - output: :math:`(N, L, E)`
    """

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        self.W_k = nn.Linear(hidden_dim, hidden_dim)
        self.W_v = nn.Linear(hidden_dim, hidden_dim)
        self.W_o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        # Step 1: project
        Q = self.W_q(x)  # (N, L, E)
        K = self.W_k(x)  # (N, L, E)
        V = self.W_v(x)  # (N, L, E)

        # Step 2: scores
        energy = Q.matmul(K.permute(0, 2, 1)) / math.sqrt(self.hidden_dim)  # (N, L, L)

        # Step 3: mask
        if attention_mask is not None:
            energy = energy.masked_fill(attention_mask == 0, torch.finfo(energy.dtype).min)

        # Step 4: normalise
        attention = torch.softmax(energy, dim=-1)  # (N, L, L)

        # Step 5: aggregate
        out = attention.matmul(V)  # (N, L, E)

        # Step 6: project back
        return self.dropout(self.W_o(out))
