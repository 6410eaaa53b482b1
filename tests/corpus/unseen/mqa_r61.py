# attn-kata: mqa
# as in modeling_gpt_bigcode.py (StarCoder): heads folded into the query axis, one big baddbmm
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = self.embed_dim // self.num_heads
        self.kv_dim = 1 * self.head_dim
        if self.head_dim * self.num_heads != self.embed_dim:
            raise ValueError(f"hidden_dim {hidden_dim} is not divisible by num_heads {num_heads}")
        self.c_attn = nn.Linear(self.embed_dim, self.embed_dim + 2 * self.kv_dim)
        self.c_proj = nn.Linear(self.embed_dim, self.embed_dim)

    def _bias(self, attention_mask, batch_size, length, dtype):
        """log(1) = 0 and log(0) = -inf; rows in the order (position, head)"""
        log_mask = attention_mask.to(dtype).log()
        log_mask = log_mask.expand(batch_size, self.num_heads, length, length)
        return log_mask.transpose(1, 2).reshape(batch_size, length * self.num_heads, length)

    def _attn(self, query, key, value, attention_mask=None):
        batch_size, query_length = query.shape[:2]
        # (batch_size, query_length, num_heads * head_dim) -> (batch_size, query_length * num_heads, head_dim)
        query = query.reshape(batch_size, query_length * self.num_heads, self.head_dim)
        attn_shape = (batch_size, query_length * self.num_heads, key.size(1))

        if attention_mask is None:
            # beta=0: the contents of the buffer are ignored
            attn_bias, beta = torch.empty(attn_shape, device=query.device, dtype=query.dtype), 0
        else:
            attn_bias, beta = self._bias(attention_mask, batch_size, query_length, query.dtype), 1
        attn_weights = torch.baddbmm(
            attn_bias, query, key.transpose(-1, -2), beta=beta, alpha=self.head_dim**-0.5
        )
        attn_weights = torch.softmax(attn_weights, dim=-1)
        attn_output = torch.bmm(attn_weights, value)
        return attn_output.view(batch_size, query_length, self.embed_dim)

    def forward(self, hidden_states, attention_mask=None):
        query, key, value = self.c_attn(hidden_states).split((self.embed_dim, self.kv_dim, self.kv_dim), dim=2)
        return self.c_proj(self._attn(query, key, value, attention_mask))
