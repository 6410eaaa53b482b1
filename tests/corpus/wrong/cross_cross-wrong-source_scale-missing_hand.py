# wrong: cross cross-wrong-source line 27, scale-missing line 29
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    """Encoder-decoder attention.

    query comes from the decoder, key and value from the encoder.
    """

    def __init__(self, dim, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = dim // n_heads
        self.wq = nn.Linear(dim, dim)
        self.wk = nn.Linear(dim, dim)
        self.wv = nn.Linear(dim, dim)
        self.wo = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def split(self, t):
        return t.reshape(*t.shape[:2], self.n_heads, self.head_dim).swapaxes(1, 2)

    def forward(self, query, key, value, mask=None):
        q = self.split(self.wq(query))
        k = self.split(self.wk(value))
        v = self.split(self.wv(value))
        logits = q @ k.swapaxes(-1, -2)
        if mask is not None:
            logits = logits.masked_fill(mask[:, None, :, :] == 0, torch.finfo(logits.dtype).min)
        out = self.drop(logits.softmax(-1)) @ v
        return self.wo(out.swapaxes(1, 2).flatten(2))
