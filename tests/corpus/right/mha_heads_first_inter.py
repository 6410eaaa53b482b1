# right: mha
# NeoX layout: each head's q, k, v lie together in the fused projection
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_attention_heads, hidden_size, attention_dropout=0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.hidden_size = hidden_size
        self.head_size, rest = divmod(hidden_size, num_attention_heads)
        if rest:
            raise ValueError("`hidden_size` must be divisible by the number of heads")
        self.norm_factor = self.head_size**-0.5
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)
        self.attention_dropout = nn.Dropout(attention_dropout)

    @classmethod
    def _merge_heads(cls, tensor, num_attention_heads, attn_head_size):
        # tensor [bs, num_attention_heads, seq_len, attn_head_size]
        tensor = tensor.permute(0, 2, 1, 3).contiguous()
        return tensor.view(tensor.size(0), tensor.size(1), num_attention_heads * attn_head_size)

    def _attn(self, query, key, value, attention_mask=None):
        batch_size, num_attention_heads, query_length, attn_head_size = query.size()
        key_length = key.size(-2)
        query = query.reshape(batch_size * num_attention_heads, query_length, attn_head_size)
        key = key.reshape(batch_size * num_attention_heads, key_length, attn_head_size)
        attn_scores = query.new_zeros(batch_size * num_attention_heads, query_length, key_length)
        attn_scores = torch.baddbmm(attn_scores, query, key.transpose(1, 2), beta=1.0, alpha=self.norm_factor)
        attn_scores = attn_scores.view(batch_size, num_attention_heads, query_length, key_length)
        if attention_mask is not None:
            lowest = torch.finfo(attn_scores.dtype).min
            attn_scores = torch.where(attention_mask.bool(), attn_scores, lowest)
        attn_weights = nn.functional.softmax(attn_scores, dim=-1).to(value.dtype)
        attn_weights = self.attention_dropout(attn_weights)
        return torch.matmul(attn_weights, value), attn_weights

    def forward(self, hidden_states, attention_mask=None):
        qkv = self.query_key_value(hidden_states)
        qkv = qkv.view(*qkv.shape[:-1], self.num_attention_heads, 3 * self.head_size)
        query = qkv[..., : self.head_size].permute(0, 2, 1, 3)
        key = qkv[..., self.head_size : 2 * self.head_size].permute(0, 2, 1, 3)
        value = qkv[..., 2 * self.head_size :].permute(0, 2, 1, 3)
        attn_output, attn_weights = self._attn(query, key, value, attention_mask)
        return self.dense(self._merge_heads(attn_output, self.num_attention_heads, self.head_size)), attn_weights
