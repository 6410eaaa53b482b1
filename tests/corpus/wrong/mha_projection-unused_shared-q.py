# wrong: mha projection-unused line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHead(nn.Module):
    """多头注意力, 输入 (B, N, D)"""
    def __init__(self, D, M, dropout=0.0):
        super().__init__()
        self.M, self.dk = M, D // M
        self.fc1 = nn.Linear(D, D)  # q
        self.fc2 = nn.Linear(D, D)  # k
        self.fc3 = nn.Linear(D, D)  # v
        self.fc4 = nn.Linear(D, D)  # out
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, N, D = x.shape
        Q = self.fc1(x).view(B, N, self.M, self.dk).transpose(1, 2)
        K = self.fc1(x).view(B, N, self.M, self.dk).transpose(1, 2)
        V = self.fc3(x).view(B, N, self.M, self.dk).transpose(1, 2)
        # 缩放点积
        A = Q @ K.transpose(-1, -2) / (self.dk ** 0.5)
        if mask is not None:
            A = A.masked_fill(mask == 0, -1e9)
        A = self.drop(F.softmax(A, dim=-1))
        # 拼接所有头
        Y = (A @ V).transpose(1, 2).contiguous().view(B, N, D)
        return self.fc4(Y)
