# wrong: v1 parameters-not-registered line 10
import numpy as np
import torch
import torch.nn as nn


class Self_Attention(nn.Module):
    def __init__(self, input_dim):
        super().__init__()
        self.layers = [nn.Linear(input_dim, input_dim) for _ in range(3)]
        self._norm_fact = 1 / np.sqrt(input_dim)

    def forward(self, x):
        Q, K, V = [layer(x) for layer in self.layers]
        atten = torch.softmax(torch.bmm(Q, K.permute(0, 2, 1)) * float(self._norm_fact), dim=-1)
        output = torch.bmm(atten, V)
        return output
