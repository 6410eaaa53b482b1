# attn-kata: cross-cache
# fairseq's static_kv, shortened: the encoder's keys and values are projected once.
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, t):
        bsz, n, _ = t.shape
        return t.view(bsz, n, self.num_heads, self.head_dim).transpose(1, 2).contiguous()

    def forward(self, x, memory, memory_lengths, cache=None):
        bsz, tgt_len, embed_dim = x.size()

        if cache is not None:
            k, v, key_padding_mask = cache["prev_key"], cache["prev_value"], cache["prev_key_padding_mask"]
        else:
            k, v = self._shape(self.k_proj(memory)), self._shape(self.v_proj(memory))
            steps = torch.arange(memory.size(1), device=memory.device)
            key_padding_mask = steps.unsqueeze(0).ge(memory_lengths.to(memory.device).unsqueeze(1))
        saved_state = {"prev_key": k, "prev_value": v, "prev_key_padding_mask": key_padding_mask}

        q = self._shape(self.q_proj(x))
        k *= self.scaling
        attn_weights = torch.matmul(q, k.transpose(2, 3))
        attn_weights = attn_weights.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        attn_probs = torch.softmax(attn_weights, dim=-1)
        attn = torch.matmul(attn_probs, v)
        attn = attn.transpose(1, 2).reshape(bsz, tgt_len, embed_dim)
        return self.out_proj(attn), saved_state
