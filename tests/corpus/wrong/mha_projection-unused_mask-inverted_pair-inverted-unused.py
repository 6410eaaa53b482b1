# wrong: mha projection-unused line 21, mask-inverted line 24
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, nhead, dropout=0.1):
        super().__init__()
        self.nhead = nhead
        self.d_k = d_model // nhead
        self.query_proj = nn.Linear(d_model, d_model)
        self.key_proj = nn.Linear(d_model, d_model)
        self.value_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        B, T, D = x.shape
        def project(layer):
            return layer(x).reshape(B, T, self.nhead, self.d_k)
        q, k, v = map(project, (self.query_proj, self.query_proj, self.value_proj))
        scores = torch.einsum("bihc,bjhc->bhij", q, k) / self.d_k ** 0.5
        if attention_mask is not None:
            scores[attention_mask.expand_as(scores) != 0] = -1e9
        weights = self.dropout(scores.softmax(-1))
        return self.out_proj(torch.einsum("bhij,bjhc->bihc", weights, v).reshape(B, T, D))
