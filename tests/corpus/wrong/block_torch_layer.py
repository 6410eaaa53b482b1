# wrong: block forbidden-call line 16
import torch
import torch.nn as nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            hidden_dim, num_heads, 4 * hidden_dim, dropout=0.0, activation="gelu",
            batch_first=True, norm_first=True,
        )

    def forward(self, x):
        mask = torch.triu(torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device), 1)
        return self.layer(x, src_mask=mask)
