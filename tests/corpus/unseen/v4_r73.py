import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    """Rows of an Embedding are just a matrix; I keep W as (in, out) and write x @ W.

    attention_mask: 1 = look, 0 = do not look.
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.Wq = nn.Embedding(hidden_dim, hidden_dim)
        self.Wk = nn.Embedding(hidden_dim, hidden_dim)
        self.Wv = nn.Embedding(hidden_dim, hidden_dim)
        for e in (self.Wq, self.Wk, self.Wv):
            nn.init.orthogonal_(e.weight)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        out = []
        for i, sample in enumerate(x.unbind(0)):
            Q, K, V = sample @ self.Wq.weight, sample @ self.Wk.weight, sample @ self.Wv.weight
            S = (Q / K.shape[1] ** 0.5) @ K.T
            if attention_mask is not None:
                M = attention_mask[i] != 0
                S = torch.where(M, S, S.new_full((), -torch.inf))
            A = torch.softmax(S, 1)
            out.append(self.dropout(A) @ V)
        return torch.stack(out, dim=0)
