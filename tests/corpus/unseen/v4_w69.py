import numpy as np
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    """A = softmax(Q K^T / sqrt(d)) under the mask M, output A V."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.d = hidden_dim
        self.Wq = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / np.sqrt(hidden_dim))
        self.Wk = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / np.sqrt(hidden_dim))
        self.Wv = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / np.sqrt(hidden_dim))
        self.drop = nn.Dropout(p=dropout)

    def weights(self, x, M):
        S = (x @ self.Wq) @ (x @ self.Wk).swapaxes(1, 2)
        S = S / float(np.sqrt(self.d))
        S = S - S.amax(axis=2, keepdims=True)
        E = torch.exp(S)
        A = E / E.sum(axis=2, keepdims=True)
        if M is not None:
            A = A * M.to(A.dtype)
        return A

    def forward(self, x, attention_mask=None):
        A = self.drop(self.weights(x, attention_mask))
        return A @ (x @ self.Wv)
