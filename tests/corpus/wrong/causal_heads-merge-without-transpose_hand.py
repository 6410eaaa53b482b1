# wrong: causal heads-merge-without-transpose line 26
import math
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, block_size):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.wq = nn.Linear(embed_dim, embed_dim)
        self.wk = nn.Linear(embed_dim, embed_dim)
        self.wv = nn.Linear(embed_dim, embed_dim)
        self.wo = nn.Linear(embed_dim, embed_dim)
        self.register_buffer("keep", torch.tril(torch.ones(block_size, block_size, dtype=torch.uint8)))

    def forward(self, x):
        bsz, seqlen, _ = x.shape
        split = lambda t: t.view(bsz, seqlen, self.num_heads, -1).transpose(1, 2)
        xq, xk, xv = split(self.wq(x)), split(self.wk(x)), split(self.wv(x))
        att = torch.matmul(xq, xk.transpose(2, 3)) / math.sqrt(xq.size(-1))
        att = att.masked_fill(self.keep[:seqlen, :seqlen] == 0, -1e9)
        att = torch.softmax(att, dim=-1)
        out = torch.matmul(att, xv)
        out = out.reshape(bsz, seqlen, self.embed_dim)
        return self.wo(out)
