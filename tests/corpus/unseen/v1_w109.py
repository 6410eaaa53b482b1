from torch import nn
import torch


class SelfAttentionV1(nn.Module):

    def __init__(self, hidden_dim):
        super(SelfAttentionV1, self).__init__()
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)

    @staticmethod
    def attend(Q, K, V):
        # Q, K, V: (batch, length, dim)
        _, d, _ = Q.shape
        S = torch.einsum("nid,njd->nij", Q, K) / d ** 0.5
        P = torch.softmax(S, -1)
        return torch.einsum("nij,njd->nid", P, V)

    def forward(self, x):
        return self.attend(self.Wq(x), self.Wk(x), self.Wv(x))
