# Notation: X in R^{b x n x d}.  S = X W_Q W_K^T X^T / sqrt(d),  A = softmax_j S,  Y = A X W_V.
import torch
from torch import Tensor, einsum, nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.d = hidden_dim
        # W[0], W[1], W[2] = W_Q, W_K, W_V
        self.W = nn.Parameter(torch.randn(3, hidden_dim, hidden_dim) / hidden_dim**0.5)

    def forward(self, x: Tensor) -> Tensor:
        W_Q, W_K, W_V = self.W.unbind(0)
        M = einsum("pe,qe->pq", W_Q, W_K)                 # the bilinear form, (d, d)
        S = einsum("bip,pq,bjq->bij", x, M, x).div(self.d**0.5)
        log_A = S - S.logsumexp(2, True)
        # mix first, project afterwards: (A X) W_V = A (X W_V)
        AX = einsum("bij,bjp->bip", log_A.exp(), x)
        return einsum("bip,pe->bie", AX, W_V)
