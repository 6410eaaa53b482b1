import torch
import torch.nn.functional as F
from torch import nn


class GPTClassifier(nn.Module):
    """Packs each text to the left first: then being causal is all that hides the padding.

    All gains in one tensor, all head matrices in another with the axes
    (what, head, layer, in, out); what is 0 key, 1 value, 2 query, 3 output (the last one the other way round).
    """

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        d, n = hidden_dim, num_layers
        self.tables = nn.ParameterList([torch.randn(vocab_size, d) * 0.02, torch.randn(block_size, d) * 0.02])
        self.heads = nn.Parameter(torch.randn(4, num_heads, n, d, d // num_heads) * d**-0.5)
        self.mlp = nn.ParameterList(
            [torch.randn(n, 4 * d, d) * d**-0.5, torch.zeros(n, 4 * d), torch.randn(n, d, 4 * d) * d**-0.5]
        )
        self.scale_and_shift = nn.Parameter(torch.zeros(2 * n + 1, 2, d))  # scales are stored less 1
        self.classes = nn.Conv1d(d, num_classes, 1)

    def norm(self, x, i):
        scale, shift = self.scale_and_shift[i]
        return F.layer_norm(x, x.shape[-1:], 1 + scale, shift)

    def forward(self, tokens, mask):
        real = mask.to(torch.bool)
        order = torch.sort(real.to(torch.uint8), dim=1, descending=True, stable=True).indices
        tokens = torch.gather(tokens, 1, order)
        real = torch.gather(real, 1, order)
        t = tokens.shape[1]
        x = self.tables[0][tokens] + self.tables[1][:t]
        above = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        for i in range(self.heads.shape[2]):
            wk, wv, wq, wo = self.heads[:, :, i]
            y = self.norm(x, 2 * i)[:, None]
            s = (y @ wq) @ (y @ wk).mT / wq.shape[-1] ** 0.5
            w = s.masked_fill(above, float("-inf")).softmax(-1)
            x = x + (w @ (y @ wv) @ wo.mT).sum(1)
            y = self.norm(x, 2 * i + 1)
            x = x + F.gelu(y @ self.mlp[0][i].T + self.mlp[1][i]) @ self.mlp[2][i].T
        x = self.norm(x, -1)
        share = real.to(x.dtype) / real.sum(1, keepdim=True).to(x.dtype)
        mean = torch.einsum("bt,btd->bd", share, x)
        return self.classes(mean[:, :, None]).squeeze(-1)
