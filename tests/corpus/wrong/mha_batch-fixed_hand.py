# wrong: mha batch-fixed line 21 (error)
import torch
from torch import nn

batch_size = 4


class MultiHead(nn.Module):
    def __init__(self, emb_dim, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = emb_dim // n_heads
        self.emb_dim = emb_dim
        self.q = nn.Linear(emb_dim, emb_dim)
        self.k = nn.Linear(emb_dim, emb_dim)
        self.v = nn.Linear(emb_dim, emb_dim)
        self.o = nn.Linear(emb_dim, emb_dim)
        self.dropout = nn.Dropout(dropout)

    def _split(self, t):
        return t.view(batch_size, -1, self.n_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, attention_mask=None):
        q, k, v = self._split(self.q(x)), self._split(self.k(x)), self._split(self.v(x))
        attn = q @ k.mT / self.head_dim ** 0.5
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 0, torch.finfo(attn.dtype).min)
        attn = self.dropout(attn.softmax(-1))
        ctx = (attn @ v).transpose(1, 2).reshape(x.shape)
        return self.o(ctx)
