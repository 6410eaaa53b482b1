import math
from types import SimpleNamespace

import torch
from torch import nn

hparams = SimpleNamespace(n_model=64, n_h=8, use_bias=False)


class MultiQueryAttention(nn.Module):
    def __init__(self, hp=hparams):
        super().__init__()
        self.n_h = hp.n_h
        self.d_k = hp.n_model // hp.n_h
        self.inv_sqrt = 1 / math.sqrt(self.n_h)
        self.W_q = nn.Linear(hp.n_model, hp.n_model, bias=hp.use_bias)
        self.W_k = nn.Linear(hp.n_model, self.d_k, bias=hp.use_bias)
        self.W_v = nn.Linear(hp.n_model, self.d_k, bias=hp.use_bias)
        self.W_o = nn.Linear(hp.n_model, hp.n_model, bias=hp.use_bias)

    def forward(self, x, attention_mask=None):
        B, L, _ = x.shape
        Q = self.W_q(x).reshape(B, L, self.n_h, self.d_k).transpose(1, 2)
        K = self.W_k(x).unsqueeze(1)  # B 1 L d
        V = self.W_v(x).unsqueeze(1)

        logits = torch.matmul(Q, K.transpose(2, 3)) * self.inv_sqrt  # B H L L
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, float("-inf"))
        probs = torch.softmax(logits, dim=3)

        out = torch.matmul(probs, V)
        out = out.transpose(1, 2).reshape(B, L, self.n_h * self.d_k)
        return self.W_o(out)
