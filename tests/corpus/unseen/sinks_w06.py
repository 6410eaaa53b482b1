import torch
from torch import nn


class SinkAttention(nn.Module):
    """fairseq-like: (batch * heads, length, head_dim) and bmm everywhere."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def _shape(self, t, bsz, tgt_len):
        t = t.view(bsz, tgt_len, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(bsz * self.num_heads, tgt_len, self.head_dim)

    def forward(self, x):
        bsz, tgt_len, _ = x.size()
        q = self._shape(self.q_proj(x) * self.scaling, bsz, tgt_len)
        k = self._shape(self.k_proj(x), bsz, tgt_len)
        v = self._shape(self.v_proj(x), bsz, tgt_len)

        attn = torch.bmm(q, k.transpose(1, 2))
        future = torch.triu(attn.new_full((tgt_len, tgt_len), float("-inf")), 1)
        attn = attn + future

        sink = self.sink.repeat_interleave(bsz).view(-1, 1, 1)
        peak = torch.maximum(attn.amax(-1, keepdim=True), sink).detach()
        unnorm = torch.exp(attn - peak)
        attn = unnorm / (unnorm.sum(-1, keepdim=True) + torch.exp(sink - peak))

        y = torch.bmm(attn, v).view(bsz, self.num_heads, tgt_len, self.head_dim)
        y = y.transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim)
        return self.out_proj(y)
