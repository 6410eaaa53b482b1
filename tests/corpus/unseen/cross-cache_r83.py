"""T5 / Whisper style: past_key_value of the encoder side is made once, and carried in a dict."""
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim**-0.5
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)

    def _shape(self, tensor, seq_len, bsz):
        return tensor.view(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2).contiguous()

    def _key_value(self, states, lengths):
        bsz, src_len, _ = states.size()
        mask = torch.zeros(bsz, 1, 1, src_len, dtype=states.dtype, device=states.device)
        padded = torch.arange(src_len, device=states.device)[None, :] >= lengths[:, None].to(states.device)
        mask.masked_fill_(padded[:, None, None, :], torch.finfo(states.dtype).min)
        return {
            "key": self._shape(self.k_proj(states), src_len, bsz),
            "value": self._shape(self.v_proj(states), src_len, bsz),
            "mask": mask,
        }

    def forward(self, x, memory, memory_lengths, cache=None):
        bsz, tgt_len, _ = x.size()
        past_key_value = cache if cache is not None else self._key_value(memory, memory_lengths)
        query_states = self._shape(self.q_proj(x) * self.scaling, tgt_len, bsz)
        attn_weights = torch.matmul(query_states, past_key_value["key"].transpose(2, 3))
        hidden = past_key_value["mask"] < 0
        attn_weights = attn_weights.masked_fill(hidden, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, past_key_value["value"])
        attn_output = attn_output.transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim)
        return self.out_proj(attn_output), past_key_value
