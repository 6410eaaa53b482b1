# wrong: mha heads-view-without-transpose line 22, mask-added line 27
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg: dict):
        super().__init__()
        self.cfg = cfg
        width = cfg["n_embd"]
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.o = nn.Linear(width, width)
        self.attn_drop = nn.Dropout(cfg["dropout"])

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        nh = self.cfg["n_head"]
        hs = c // nh
        q = self.q(x).view(b, nh, t, hs)
        k = self.k(x).view(b, nh, t, hs)
        v = self.v(x).view(b, nh, t, hs)
        att = q @ k.transpose(-2, -1) / math.sqrt(hs)
        if attention_mask is not None:
            att = att + attention_mask
        att = self.attn_drop(torch.softmax(att, dim=-1))
        return self.o((att @ v).transpose(1, 2).reshape(b, t, c))
