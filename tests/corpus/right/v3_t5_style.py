# right: v3
# T5-like: scores scaled explicitly (T5 folds it into the init), softmax in float32, type_as afterwards
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, d_model, dropout_rate=0.1, has_relative_attention_bias=False):
        super().__init__()
        self.has_relative_attention_bias = has_relative_attention_bias
        self.d_model = d_model
        self.key_value_proj_dim = d_model
        self.dropout = dropout_rate

        self.q = nn.Linear(self.d_model, self.d_model, bias=False)
        self.k = nn.Linear(self.d_model, self.d_model, bias=False)
        self.v = nn.Linear(self.d_model, self.d_model, bias=False)
        self.o = nn.Linear(self.d_model, self.d_model, bias=False)
        self.gradient_checkpointing = False

    def _extend(self, mask, dtype):
        """1 for kept positions to an additive bias."""
        bias = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
        return bias.masked_fill(mask.to(torch.bool).logical_not(), torch.finfo(dtype).min)

    def forward(self, hidden_states, mask=None, position_bias=None, output_attentions=False):
        query_states = self.q(hidden_states)
        key_states = self.k(hidden_states)
        value_states = self.v(hidden_states)

        scores = torch.matmul(query_states, key_states.transpose(2, 1)) * self.key_value_proj_dim**-0.5

        if position_bias is None:
            if mask is not None:
                position_bias = self._extend(mask, scores.dtype)
            else:
                position_bias = torch.zeros_like(scores)
        scores += position_bias

        attn_weights = nn.functional.softmax(scores.float(), dim=-1).type_as(scores)
        attn_weights = nn.functional.dropout(attn_weights, p=self.dropout, training=self.training)

        attn_output = self.o(torch.matmul(attn_weights, value_states))
        outputs = (attn_output,)
        if output_attentions:
            outputs = outputs + (attn_weights,)
        return outputs
