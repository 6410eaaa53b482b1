# wrong: block parallel-block line 52
import torch
import torch.nn as nn


class GPTNeoXAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.head_size = hidden_size // num_attention_heads
        self.norm_factor = self.head_size ** -0.5
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states):
        input_shape = hidden_states.shape[:-1]
        # [batch, seq_len, (num_heads * 3 * head_size)] -> [batch, num_heads, seq_len, 3 * head_size]
        qkv = self.query_key_value(hidden_states).view((*input_shape, -1, 3 * self.head_size)).transpose(1, 2)
        query, key, value = qkv.chunk(3, dim=-1)

        attn_weights = torch.matmul(query, key.transpose(2, 3)) * self.norm_factor
        n = input_shape[1]
        causal = torch.ones(n, n, dtype=torch.bool, device=hidden_states.device).tril()
        attn_weights = torch.where(causal, attn_weights, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, value).transpose(1, 2).contiguous()
        return self.dense(attn_output.reshape(*input_shape, -1))


class GPTNeoXMLP(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.dense_h_to_4h = nn.Linear(hidden_size, 4 * hidden_size)
        self.dense_4h_to_h = nn.Linear(4 * hidden_size, hidden_size)
        self.act = nn.GELU()

    def forward(self, hidden_states):
        return self.dense_4h_to_h(self.act(self.dense_h_to_4h(hidden_states)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.input_layernorm = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.post_attention_layernorm = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.attention = GPTNeoXAttention(hidden_dim, num_heads)
        self.mlp = GPTNeoXMLP(hidden_dim)

    def forward(self, x):
        attn_output = self.attention(self.input_layernorm(x))
        # x = x + attn(ln1(x)) + mlp(ln2(x))
        mlp_output = self.mlp(self.post_attention_layernorm(x))
        return mlp_output + attn_output + x
