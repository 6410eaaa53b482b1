# GPT-J's attention: a registered triangle, fp32 scores, scale kept as a tensor
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        max_positions = block_size
        self.register_buffer(
            "bias",
            torch.tril(torch.ones((max_positions, max_positions), dtype=torch.bool)).view(1, 1, max_positions, max_positions),
            persistent=False,
        )
        self.num_attention_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scale_attn = self.head_dim**0.5
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _split_heads(self, tensor):
        new_shape = tensor.size()[:-1] + (self.num_attention_heads, self.head_dim)
        return tensor.view(new_shape).permute(0, 2, 1, 3)

    def _merge_heads(self, tensor):
        tensor = tensor.permute(0, 2, 1, 3).contiguous()
        return tensor.view(tensor.size()[:-2] + (self.num_attention_heads * self.head_dim,))

    def _attn(self, query, key, value):
        query_length, key_length = query.size(-2), key.size(-2)
        causal_mask = self.bias[:, :, key_length - query_length : key_length, :key_length]
        wide = torch.promote_types(query.dtype, torch.float32)  # scores in fp32 or more
        attn_weights = torch.matmul(query.to(wide), key.to(wide).transpose(-1, -2))
        mask_value = torch.full([], torch.finfo(wide).min, dtype=wide, device=attn_weights.device)
        attn_weights = torch.where(causal_mask, attn_weights, mask_value)
        attn_weights = attn_weights / self.scale_attn
        attn_weights = nn.functional.softmax(attn_weights, dim=-1).to(value.dtype)
        return torch.matmul(attn_weights, value)

    def forward(self, x):
        query, key, value = (self._split_heads(p(x)) for p in (self.q_proj, self.k_proj, self.v_proj))
        return self.out_proj(self._merge_heads(self._attn(query, key, value)))
