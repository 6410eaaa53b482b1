# right: v1
import torch as T


class Attention(T.nn.Module):
    """softmax(x U (x W)^T / sqrt d) x Z, everything as einsum over raw matrices"""

    def __init__(self, d_model):
        super().__init__()
        self.U = T.nn.Parameter(T.empty(d_model, d_model))
        self.W = T.nn.Parameter(T.empty(d_model, d_model))
        self.Z = T.nn.Parameter(T.empty(d_model, d_model))
        self.reset_parameters()

    def reset_parameters(self):
        for p in self.parameters():
            T.nn.init.xavier_uniform_(p)

    def forward(self, x):
        d = x.size(-1)
        affinity = T.einsum("bid,de,bjf,fe->bij", x, self.U, x, self.W)
        probs = (affinity * d**-0.5).softmax(dim=2)
        return T.einsum("bij,bjd,de->bie", probs, x, self.Z)
