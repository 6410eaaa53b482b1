import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        assert self.head_dim * num_heads == hidden_dim, "embed_dim must be divisible by num_heads"
        self.scaling = self.head_dim ** -0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def fold(self, t):
        """B x T x C -> B*H x T x head_dim"""
        bsz, n, _ = t.shape
        return t.reshape(bsz, n, self.num_heads, self.head_dim).transpose(1, 2).reshape(-1, n, self.head_dim)

    def forward(self, x, memory, memory_lengths, cache=None):
        bsz, tgt_len, embed_dim = x.shape
        q = self.fold(self.q_proj(x)) * self.scaling

        static_kv = cache is not None
        if static_kv:
            # the encoder's side was projected before
            k, v = cache["prev_key"], cache["prev_value"]
        else:
            k, v = self.fold(self.k_proj(memory)), self.fold(self.v_proj(memory))
            cache = {"prev_key": k, "prev_value": v}
        src_len = k.size(1)

        key_padding_mask = torch.arange(src_len, device=k.device)[None] >= memory_lengths[:, None]

        attn_weights = torch.bmm(q, k.transpose(1, 2))
        attn_weights = attn_weights.view(bsz, self.num_heads, tgt_len, src_len)
        attn_weights = attn_weights.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        attn_weights = F.softmax(attn_weights, dim=-1).view(-1, tgt_len, src_len)

        attn = torch.bmm(attn_weights, v)
        attn = attn.view(bsz, self.num_heads, tgt_len, self.head_dim).transpose(1, 2).reshape(bsz, tgt_len, embed_dim)
        return self.out_proj(attn), cache
