# right: causal
import torch
import torch.nn as nn

D_MODEL = 24
HEADS = 3
CONTEXT = 16


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(D_MODEL, 3 * D_MODEL)
        self.o = nn.Linear(D_MODEL, D_MODEL)
        self.register_buffer("future", torch.triu(torch.ones(CONTEXT, CONTEXT), 1).bool())

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = [t.view(B, T, HEADS, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1)]
        w = q @ k.transpose(-2, -1) / (D_MODEL // HEADS) ** 0.5
        w = w.masked_fill(self.future[:T, :T], float("-inf")).softmax(-1)
        return self.o((w @ v).transpose(1, 2).reshape(B, T, -1))
