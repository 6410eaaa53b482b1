import math
from torch import nn


class SelfAttentionV1(nn.Module):
    """Ein Kopf, keine Maske."""

    def __init__(self, hidden_dim: int):
        super().__init__()
        self.W_Q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_K = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_V = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        Q, K, V = self.W_Q(x), self.W_K(x), self.W_V(x)
        d_k = K.shape[1]
        Wichtung = (Q.matmul(K.transpose(1, 2)) / math.sqrt(d_k)).softmax(dim=2)
        return Wichtung.matmul(V)
