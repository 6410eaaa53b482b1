"""fairseq's encoder_attn with static_kv, but the saved state belongs to the caller."""
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim**-0.5
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _fold(self, t):
        bsz, n, _ = t.shape
        t = t.view(bsz, n, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(bsz * self.num_heads, n, self.head_dim)

    def _first_state(self, memory, memory_lengths):
        positions = torch.arange(memory.size(1), device=memory.device)
        return {
            "prev_key": self._fold(self.k_proj(memory)),
            "prev_value": self._fold(self.v_proj(memory)),
            # True marks padding, as everywhere in fairseq
            "prev_key_padding_mask": positions.unsqueeze(0) >= memory_lengths.to(memory.device).unsqueeze(1),
        }

    def forward(self, x, encoder_out, encoder_lengths, incremental_state=None):
        static_kv = incremental_state is not None
        saved_state = incremental_state if static_kv else self._first_state(encoder_out, encoder_lengths)
        k, v = saved_state["prev_key"], saved_state["prev_value"]
        key_padding_mask = saved_state["prev_key_padding_mask"]

        bsz, tgt_len, _ = x.shape
        src_len = k.size(1)
        q = self._fold(self.scaling * self.q_proj(x))
        attn_weights = torch.bmm(q, k.transpose(1, 2))
        attn_weights = attn_weights.view(bsz, self.num_heads, tgt_len, src_len)
        attn_weights = attn_weights.masked_fill(
            key_padding_mask.unsqueeze(1).unsqueeze(2), float("-inf")
        )
        attn_weights = attn_weights.view(bsz * self.num_heads, tgt_len, src_len)
        attn_probs = nn.functional.softmax(attn_weights, dim=-1)
        attn = torch.bmm(attn_probs, v).view(bsz, self.num_heads, tgt_len, self.head_dim)
        attn = attn.transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim)
        return self.out_proj(attn), saved_state
