# right: mha remarks: fill-overflows-half
import numpy as np
import torch
from torch import nn


class MHA(nn.Module):
    def __init__(self, D, H, p=0.1):
        super().__init__()
        self.H, self.dk = H, D // H
        self.WQ = nn.Parameter(torch.empty(D, D))
        self.WK = nn.Parameter(torch.empty(D, D))
        self.WV = nn.Parameter(torch.empty(D, D))
        self.WO = nn.Parameter(torch.empty(D, D))
        for w in self.parameters():
            nn.init.xavier_normal_(w)
        self.drop = nn.Dropout(p)

    def forward(self, X, M=None):
        B, T, D = X.shape
        sh = (B, T, self.H, self.dk)
        Q = (X @ self.WQ).reshape(sh).swapaxes(1, 2)
        K = (X @ self.WK).reshape(sh).swapaxes(1, 2)
        V = (X @ self.WV).reshape(sh).swapaxes(1, 2)
        S = Q @ K.swapaxes(2, 3) / float(np.sqrt(self.dk))
        if M is not None:
            S = S + torch.where(M == 0, -1e9, 0.0).to(S.dtype)
        A = self.drop(torch.softmax(S, dim=3))
        return (A @ V).swapaxes(1, 2).reshape(B, T, D) @ self.WO
