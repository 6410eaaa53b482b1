# wrong: v4 mask-fill-zero line 24
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.scaling = hidden_dim ** -0.5
        self.attention_dropout = dropout

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query_states = self.q_proj(hidden_states)
        key_states = self.k_proj(hidden_states)
        value_states = self.v_proj(hidden_states)

        attn_weights = torch.matmul(query_states, key_states.transpose(1, 2)) * self.scaling
        if attention_mask is not None:
            lowest = torch.finfo(attn_weights.dtype).tiny
            attn_weights = torch.where(attention_mask.bool(), attn_weights, lowest)

        attn_weights = F.softmax(attn_weights, dim=-1, dtype=torch.promote_types(attn_weights.dtype, torch.float32))
        attn_weights = attn_weights.to(query_states.dtype)
        attn_weights = F.dropout(attn_weights, p=self.attention_dropout, training=self.training)
        return self.o_proj(torch.matmul(attn_weights, value_states))
