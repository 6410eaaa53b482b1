import torch
from torch import nn
from torch.nn.functional import linear


class SelfAttentionV1(nn.Module):
    """Raw parameters and a hand-rolled softmax."""

    def __init__(self, hidden_dim: int):
        super().__init__()
        bound = 1.0 / hidden_dim ** 0.5
        init = torch.empty(hidden_dim, hidden_dim).uniform_(-bound, bound)
        for name in "qkv":
            self.register_parameter(f"proj_{name}", nn.Parameter(init))
            self.register_parameter(f"bias_{name}", nn.Parameter(torch.zeros(hidden_dim)))
        self.rescale = bound

    @staticmethod
    def _normalise(scores):
        # shift for numerical stability, then exponentiate
        shifted = scores - scores.amax(-1, keepdim=True)
        num = shifted.exp()
        return num / num.sum(-1, keepdim=True)

    def forward(self, x):
        q = linear(x, self.proj_q, self.bias_q)
        k = linear(x, self.proj_k, self.bias_k)
        v = linear(x, self.proj_v, self.bias_v)
        weights = self._normalise((q @ k.transpose(-2, -1)) * self.rescale)
        return weights @ v
