import torch as th
import torch.nn as nn


class CrossAttention(nn.Module):
    """W[:, h, r] maps the width to head h's features: r = 0 keys, 1 values, 2 queries.

    Row r = 3 is the way back (read the other way round).
    """

    def __init__(self, hidden_dim, num_heads, dropout=0.1, **unused):
        super().__init__()
        assert not hidden_dim % num_heads
        self.W = nn.Parameter(th.empty(hidden_dim, num_heads, 4, hidden_dim // num_heads))
        self.dropout_p = dropout
        self.reset_parameters()

    @th.no_grad()
    def reset_parameters(self):
        nn.init.normal_(self.W, std=self.W.size(0) ** -0.5)

    def forward(self, query, key, value, mask=None):
        K, V, Q, O = self.W.unbind(2)
        # (q Q)(k K)^T = q (Q K^T) k^T: bring the query over to the side of the raw keys
        lifted = th.einsum("bqm,mhd,nhd->bhqn", query, Q, K)
        logits = lifted @ key[:, None].mT * Q.size(-1) ** -0.5
        if mask is not None:
            logits = logits.masked_fill(mask.unsqueeze(1).logical_not(), th.finfo(logits.dtype).min)
        shift = logits.amax(-1, keepdim=True).detach()
        e = th.exp(logits - shift)
        p = nn.functional.dropout(e / e.sum(-1, True), self.dropout_p, training=self.training)
        mean = p @ value[:, None]                        # weighted mean of raw values
        return th.einsum("bhqn,nhd,mhd->bqm", mean, V, O)
