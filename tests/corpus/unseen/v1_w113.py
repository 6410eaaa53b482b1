# written the way I would write it in numpy
import torch as np
from torch import nn


def softmax(z):
    z = z - z.max(-1, keepdim=True)[0]
    e = np.exp(z)
    return e / e.sum(-1)[:, None]


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.d = hidden_dim
        self.Wq, self.Wk, self.Wv = (
            nn.Parameter(np.randn(hidden_dim, hidden_dim) / np.sqrt(np.tensor(float(hidden_dim))))
            for _ in range(3)
        )

    def forward(self, x):
        Q, K, V = x @ self.Wq, x @ self.Wk, x @ self.Wv
        S = Q @ K.swapaxes(1, 2) / self.d ** 0.5
        P = softmax(S)
        return P @ V
