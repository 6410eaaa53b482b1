# right: mha remarks: dropout-not-applied, fill-overflows-half
import torch
from torch.nn import Linear, Module
from torch.nn.functional import softmax


class MultiHeadAttention(Module):
    def __init__(self, D, H):
        super().__init__()
        self.H = H
        self.w4 = Linear(D, D)
        self.w3 = Linear(D, D)
        self.w2 = Linear(D, D)
        self.w1 = Linear(D, D)

    def forward(self, x, attention_mask=None):
        B, T, D = x.shape
        f = lambda w: w(x).view(B, T, self.H, D // self.H).transpose(1, 2)
        s = f(self.w1).matmul(f(self.w2).transpose(2, 3)).div((D // self.H) ** 0.5)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -100000.0)
        return self.w4(softmax(s, -1).matmul(f(self.w3)).transpose(1, 2).reshape(B, T, D))
