# wrong: v2 values-from-keys line 17
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, n_embd):
        super().__init__()
        self.n_embd = n_embd
        self.qkv = nn.Linear(n_embd, 3 * n_embd)

    def forward(self, x):
        C = self.n_embd
        qkv = self.qkv(x)
        q = qkv[:, :, :C]
        k = qkv[:, :, C:2 * C]
        v = qkv[:, :, C:2 * C]
        att = (q @ k.transpose(1, 2)) * C ** -0.5
        return att.softmax(dim=-1) @ v
