# fairseq's static_kv, without its incremental_state dictionary
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.saved_state = None

    def split(self, t):
        b, n, d = t.shape
        return t.reshape(b, n, self.heads, d // self.heads).permute(0, 2, 1, 3)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            places = torch.arange(memory.shape[1], device=memory.device).expand(memory.shape[0], -1)
            prev_mask = places >= memory_lengths.to(memory.device).unsqueeze(-1)
            self.saved_state = {
                "prev_key": self.split(self.k_proj(memory)),
                "prev_value": self.split(self.v_proj(memory)),
                "prev_key_padding_mask": prev_mask,
            }
            cache = {"static_kv": True, "steps": 0}
        saved = self.saved_state
        k, v = saved["prev_key"], saved["prev_value"]
        mask = saved["prev_key_padding_mask"][:, None, None, :]

        q = self.split(self.q_proj(x))
        attn = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        attn = attn.masked_fill(mask, float("-inf")).softmax(dim=-1)
        out = (attn @ v).permute(0, 2, 1, 3).flatten(2)
        return self.out_proj(out), {**cache, "steps": cache["steps"] + x.shape[1]}
