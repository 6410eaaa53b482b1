# right: v1
import torch
import torch.nn as nn

# following along with a book: first with loops, later with matmul
class SelfAttention_v0(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        results = []
        for sentence in x:
            keys = sentence @ self.W_key
            values = sentence @ self.W_value
            context_vecs = []
            for token in sentence:
                query = token @ self.W_query
                attn_score = keys @ query
                attn_weight = torch.softmax(attn_score / keys.shape[-1] ** 0.5, dim=0)
                context_vecs.append(attn_weight @ values)
            results.append(torch.stack(context_vecs))
        return torch.stack(results)
