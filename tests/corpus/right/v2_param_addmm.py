# right: v2
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    """GPT-2's Conv1D layout: the weight is (in, 3 * in) and is applied with addmm."""

    def __init__(self, n_embd):
        super().__init__()
        self.n_embd = n_embd
        self.weight = nn.Parameter(torch.zeros(n_embd, 3 * n_embd))
        self.bias = nn.Parameter(torch.zeros(3 * n_embd))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, hidden_states):
        size_out = hidden_states.size()[:-1] + (3 * self.n_embd,)
        mixed = torch.addmm(self.bias, hidden_states.reshape(-1, self.n_embd), self.weight).view(size_out)
        query, key, value = mixed.split(self.n_embd, dim=2)

        attn_weights = torch.matmul(query, key.transpose(-1, -2))
        attn_weights = attn_weights / torch.full(
            [], value.size(-1) ** 0.5, dtype=attn_weights.dtype, device=attn_weights.device
        )
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        return torch.matmul(attn_weights, value)
