import torch
from torch import nn


class SelfAttentionV2Config:
    model_type = "self-attention-v2"

    def __init__(self, hidden_size=768, qkv_bias=True, initializer_range=0.02, **kwargs):
        self.hidden_size = hidden_size
        self.qkv_bias = qkv_bias
        self.initializer_range = initializer_range


class SelfAttentionV2(nn.Module):
    config_class = SelfAttentionV2Config

    def __init__(self, config: SelfAttentionV2Config):
        super().__init__()
        self.config = config
        self.qkv_proj = nn.Linear(
            config.hidden_size, 3 * config.hidden_size, bias=config.qkv_bias
        )
        self._init_weights(self.qkv_proj)
        self.split_size = self.qkv_proj.out_features // 3
        self.scaling = self.qkv_proj.out_features**-0.5

    def _init_weights(self, module):
        module.weight.data.normal_(mean=0.0, std=self.config.initializer_range)

    def eager_attention(self, query_states, key_states, value_states):
        attn_weights = torch.matmul(query_states, key_states.transpose(1, 2)) * self.scaling
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        return torch.matmul(attn_weights, value_states)

    def forward(self, hidden_states):
        mixed = self.qkv_proj(hidden_states)
        query_states, key_states, value_states = mixed.split(self.split_size, dim=-1)
        return self.eager_attention(query_states, key_states, value_states)
