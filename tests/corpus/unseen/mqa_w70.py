import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """After GPTBigCode: the heads are folded into the query length, so that a single baddbmm /
    bmm against the one key head does the work."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.kv_dim = self.head_dim
        self.c_attn = nn.Linear(self.embed_dim, self.embed_dim + 2 * self.kv_dim)
        self.c_proj = nn.Linear(self.embed_dim, self.embed_dim)

    def _attn(self, query, key, value, attention_mask=None):
        batch_size, query_length, _ = query.shape
        key_length = key.size(-1)

        # (batch, query_length * heads, head_dim)
        query = query.reshape(batch_size, query_length * self.num_heads, self.head_dim)
        attn_weights = torch.bmm(query, key) / self.head_dim ** 0.5

        if attention_mask is not None:
            attn_view = (batch_size, self.num_heads, query_length, key_length)
            mask_value = torch.finfo(attn_weights.dtype).min
            attn_weights = attn_weights.view(attn_view).masked_fill(attention_mask == 0, mask_value)
            attn_weights = attn_weights.view(batch_size, query_length * self.num_heads, key_length)

        attn_weights = torch.softmax(attn_weights, dim=-1)
        attn_output = torch.bmm(attn_weights, value)
        return attn_output.view(batch_size, query_length, self.embed_dim)

    def forward(self, hidden_states, attention_mask=None):
        query, key_value = self.c_attn(hidden_states).split((self.embed_dim, 2 * self.kv_dim), dim=2)
        key, value = key_value.split((self.head_dim, self.head_dim), dim=-1)
        attn_output = self._attn(query, key.transpose(-1, -2), value, attention_mask)
        return self.c_proj(attn_output)
