# wrong: v2 residual-added line 20
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.dim = hidden_dim
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        QKV = self.proj(X)
        Q, K, V = torch.split(QKV, self.dim, dim=-1)
        base = X.new_empty(X.shape[0], X.shape[1], X.shape[1])
        S = torch.baddbmm(base, Q, K.transpose(1, 2), beta=0, alpha=self.dim ** -0.5)
        A = S.softmax(dim=-1)
        O = torch.bmm(A, V)
        return X + self.output_proj(O)
