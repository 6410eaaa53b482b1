# gpt-oss in plain torch: the sink as one more column, dropped after the softmax
import torch
from torch import nn


def attention_with_sinks(Q, K, V, S, sm_scale):
    # Q, K, V: (n_tokens, n_heads, d) of one sample, S: (n_heads,)
    n_tokens, n_heads, d_head = Q.shape
    S = S.reshape(n_heads, 1, 1).expand(-1, n_tokens, -1)
    mask = torch.triu(Q.new_full((n_tokens, n_tokens), -float("inf")), diagonal=1)
    QK = torch.einsum("qhd,khd->hqk", Q, K)
    QK = QK * sm_scale
    QK = QK + mask[None, :, :]
    QK = torch.cat([QK, S], dim=-1)
    W = torch.softmax(QK, dim=-1)
    W = W[..., :-1]
    attn = torch.einsum("hqk,khd->qhd", W, V)
    return attn.reshape(n_tokens, -1)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_attention_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.sinks = nn.Parameter(torch.empty(num_heads).normal_(std=0.02))
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.sm_scale = 1 / self.head_dim**0.5

    def forward(self, x):
        shape = (x.size(1), self.num_attention_heads, self.head_dim)
        samples = []
        for t in self.qkv(x).unbind(0):
            q, k, v = (part.view(shape) for part in t.chunk(3, dim=-1))
            samples.append(attention_with_sinks(q, k, v, self.sinks, self.sm_scale))
        return self.out(torch.stack(samples))
