import torch
import torch.nn as nn


class GPT2Attention(nn.Module):
    def __init__(self, n_embd, n_head, max_positions=256):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        mask = torch.tril(torch.ones(max_positions, max_positions, dtype=torch.bool))
        self.register_buffer(
            "bias", mask.view(1, 1, max_positions, max_positions), persistent=False
        )

    def _split(self, t):
        return t.view(*t.shape[:2], self.n_head, -1).permute(0, 2, 1, 3)

    def forward(self, hidden_states, layer_past=None):
        query, key, value = map(self._split, self.c_attn(hidden_states).chunk(3, dim=2))
        if layer_past is not None:
            past_key, past_value = layer_past
            key = torch.cat((past_key, key), dim=-2)
            value = torch.cat((past_value, value), dim=-2)
        present = (key, value)
        weights = torch.matmul(query, key.transpose(-1, -2)) / (value.size(-1) ** 0.5)
        q_len, k_len = query.size(-2), key.size(-2)
        causal = self.bias[:, :, k_len - q_len : k_len, :k_len]
        weights = torch.where(causal, weights, torch.finfo(weights.dtype).min)
        weights = nn.functional.softmax(weights, dim=-1)
        out = torch.matmul(weights, value).permute(0, 2, 1, 3).contiguous()
        return self.c_proj(out.view(*out.shape[:2], -1)), present
