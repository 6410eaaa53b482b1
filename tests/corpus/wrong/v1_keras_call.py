# wrong: v1 scale-multiplied line 19
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    """Translated from a Keras layer: call() does the work."""

    def __init__(self, units):
        super().__init__()
        self.units = units
        self.kernel = nn.ParameterList([nn.Parameter(torch.empty(units, units)) for _ in range(3)])
        for w in self.kernel:
            nn.init.xavier_uniform_(w)

    def call(self, inputs):
        q, k, v = [torch.tensordot(inputs, w, dims=([-1], [0])) for w in self.kernel]
        scores = torch.einsum("btd,bsd->bts", q, k)
        scores *= self.units ** 0.5
        weights = scores.softmax(-1)
        return torch.einsum("bts,bsd->btd", weights, v)

    def forward(self, inputs):
        return self.call(inputs)
