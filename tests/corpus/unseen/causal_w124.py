import torch
import torch.nn.functional as F
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        embed_dim = self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        assert self.head_dim * num_heads == self.embed_dim, "embed_dim must be divisible by num_heads"
        self.scaling = self.head_dim ** -0.5
        self.max_target_positions = block_size

        self.k_proj = nn.Linear(embed_dim, embed_dim)
        self.v_proj = nn.Linear(embed_dim, embed_dim)
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def future_mask(self, tensor):
        dim = tensor.size(1)
        neg = torch.finfo(tensor.dtype).min
        return torch.triu(tensor.new_full((dim, dim), neg))

    def forward(self, x):
        bsz, tgt_len, embed_dim = x.size()
        assert tgt_len <= self.max_target_positions

        q = self.q_proj(x) * self.scaling
        k = self.k_proj(x)
        v = self.v_proj(x)

        q, k, v = (
            t.contiguous().view(bsz, tgt_len, self.num_heads, self.head_dim)
            .transpose(1, 2).reshape(bsz * self.num_heads, tgt_len, self.head_dim)
            for t in (q, k, v)
        )

        attn_weights = torch.bmm(q, k.transpose(1, 2))
        attn_weights = attn_weights + self.future_mask(x).unsqueeze(0)
        attn_probs = F.softmax(attn_weights, dim=-1)

        attn = torch.bmm(attn_probs, v)
        attn = attn.view(bsz, self.num_heads, tgt_len, self.head_dim).transpose(1, 2)
        return self.out_proj(attn.reshape(bsz, tgt_len, embed_dim))
