import torch
from torch import nn


class CrossAttention(nn.Module):
    """diffusers: Attention with an AttnProcessor that does the work, head_to_batch_dim and all."""

    class AttnProcessor:
        def __call__(self, attn, hidden_states, key_states, value_states, attention_mask=None):
            query = attn.head_to_batch_dim(attn.to_q(hidden_states))
            key = attn.head_to_batch_dim(attn.to_k(key_states))
            value = attn.head_to_batch_dim(attn.to_v(value_states))
            attention_probs = attn.get_attention_scores(query, key, attention_mask)
            hidden_states = attn.batch_to_head_dim(torch.bmm(attn.drop(attention_probs), value))
            return attn.to_out[0](hidden_states)

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim)])
        self.drop = nn.Dropout(dropout)
        self.processor = self.AttnProcessor()

    def head_to_batch_dim(self, tensor):
        batch_size, seq_len, dim = tensor.shape
        tensor = tensor.reshape(batch_size, seq_len, self.heads, dim // self.heads)
        return tensor.permute(0, 2, 1, 3).reshape(batch_size * self.heads, seq_len, dim // self.heads)

    def batch_to_head_dim(self, tensor):
        many, seq_len, dim = tensor.shape
        tensor = tensor.reshape(many // self.heads, self.heads, seq_len, dim)
        return tensor.permute(0, 2, 1, 3).reshape(many // self.heads, seq_len, dim * self.heads)

    def get_attention_scores(self, query, key, attention_mask=None):
        if attention_mask is None:
            baddbmm_input = torch.empty(query.shape[0], query.shape[1], key.shape[1], dtype=query.dtype, device=query.device)
            beta = 0
        else:
            baddbmm_input = attention_mask
            beta = 1
        scores = torch.baddbmm(baddbmm_input, query, key.transpose(-1, -2), beta=beta, alpha=self.scale)
        return scores.softmax(dim=-1)

    def prepare_attention_mask(self, mask, dtype):
        bias = torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask == 0, torch.finfo(dtype).min / 2)
        return bias.repeat_interleave(self.heads, dim=0)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = self.prepare_attention_mask(mask, query.dtype)
        return self.processor(self, query, key, value, attention_mask=mask)
