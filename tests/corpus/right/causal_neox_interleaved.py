# right: causal
import torch
from torch import nn


class GPTNeoXAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_attention_heads = config.num_attention_heads
        self.hidden_size = config.hidden_size
        self.head_size = self.hidden_size // self.num_attention_heads
        limit = config.max_position_embeddings
        self.register_buffer(
            "bias", torch.tril(torch.ones((limit, limit), dtype=torch.bool)).view(1, 1, limit, limit), persistent=False
        )
        self.norm_factor = self.head_size ** -0.5
        self.query_key_value = nn.Linear(config.hidden_size, 3 * config.hidden_size)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.attention_dropout = nn.Dropout(config.attention_dropout)

    def forward(self, hidden_states):
        qkv = self.query_key_value(hidden_states)
        qkv = qkv.view(qkv.size()[:-1] + (self.num_attention_heads, 3 * self.head_size))
        query = qkv[..., : self.head_size].permute(0, 2, 1, 3)
        key = qkv[..., self.head_size : 2 * self.head_size].permute(0, 2, 1, 3)
        value = qkv[..., 2 * self.head_size :].permute(0, 2, 1, 3)

        bsz, heads, length, size = query.shape
        query = query.reshape(bsz * heads, length, size)
        key = key.reshape(bsz * heads, length, size)
        scores = torch.zeros(bsz * heads, length, length, dtype=query.dtype, device=key.device)
        scores = torch.baddbmm(scores, query, key.transpose(1, 2), beta=1.0, alpha=self.norm_factor)
        scores = scores.view(bsz, heads, length, length)

        causal_mask = self.bias[:, :, :length, :length]
        mask_value = torch.tensor(torch.finfo(scores.dtype).min, dtype=scores.dtype, device=scores.device)
        scores = torch.where(causal_mask, scores, mask_value)
        weights = self.attention_dropout(nn.functional.softmax(scores, dim=-1)).to(value.dtype)
        out = torch.matmul(weights, value).permute(0, 2, 1, 3).contiguous()
        return self.dense(out.view(bsz, length, self.hidden_size))
