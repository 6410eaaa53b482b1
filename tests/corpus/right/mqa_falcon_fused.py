# right: mqa
import torch
from torch import Tensor, nn


class MQA(nn.Module):
    def __init__(self, hidden_size: int, num_attention_heads: int) -> None:
        super().__init__()
        self.num_heads = num_attention_heads
        self.head_dim = hidden_size // num_attention_heads
        self.query_key_value = nn.Linear(hidden_size, hidden_size + 2 * self.head_dim, bias=False)
        self.dense = nn.Linear(hidden_size, hidden_size, bias=False)

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        fused = self.query_key_value(hidden_states)
        batch, length, _ = fused.shape
        fused = fused.view(batch, length, self.num_heads + 2, self.head_dim)
        query, key, value = fused[..., :-2, :], fused[..., [-2], :], fused[..., [-1], :]
        query, key, value = (t.permute(0, 2, 1, 3) for t in (query, key, value))
        scores = query @ key.mT * self.head_dim**-0.5
        if attention_mask is not None:
            scores = torch.where(attention_mask.bool(), scores, torch.finfo(scores.dtype).min)
        context = scores.softmax(dim=-1) @ value
        return self.dense(context.permute(0, 2, 1, 3).reshape(hidden_states.shape))
