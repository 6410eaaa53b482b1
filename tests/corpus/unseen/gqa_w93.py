import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """einsum all the way; letters: b batch, t/s time, c channels, g kv head, r query head in group, e head dim"""

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        e = hidden_dim // num_heads
        std = hidden_dim ** -0.5
        self.g = num_kv_heads
        self.r = num_heads // num_kv_heads
        self.Wq = nn.Parameter(torch.randn(hidden_dim, self.g, self.r, e) * std)
        self.Wk = nn.Parameter(torch.randn(hidden_dim, self.g, e) * std)
        self.Wv = nn.Parameter(torch.randn(hidden_dim, self.g, e) * std)
        self.Wo = nn.Parameter(torch.randn(num_heads, e, hidden_dim) * std)

    def forward(self, x, attention_mask=None):
        q = torch.einsum('btc,cgre->bgrte', x, self.Wq)
        k = torch.einsum('bsc,cge->bgse', x, self.Wk)
        v = torch.einsum('bsc,cge->bgse', x, self.Wv)

        logits = torch.einsum('bgrte,bgse->bgrts', q, k)
        logits = logits / q.shape[-1] ** 0.5

        if attention_mask is not None:
            b, planes = attention_mask.shape[:2]
            tail = attention_mask.shape[2:]
            if planes == 1:
                allowed = attention_mask.reshape(b, 1, 1, *tail)
            else:
                allowed = attention_mask.reshape(b, self.r, self.g, *tail)
                allowed = allowed.transpose(1, 2)
            logits = torch.where(allowed == 0, float('-inf'), logits)

        probs = torch.softmax(logits, dim=-1)
        heads = torch.einsum('bgrts,bgse->bgrte', probs, v).flatten(1, 2)
        return torch.einsum('bhte,hec->btc', heads, self.Wo)
