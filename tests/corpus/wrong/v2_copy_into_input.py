# wrong: v2 input-modified line 17
# saves an allocation: the result goes where the input was
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.width = width

    def forward(self, x):
        q, k, v = torch.split(self.qkv(x.clone()), self.width, dim=-1)
        w = torch.softmax(q @ k.transpose(1, 2) * self.width ** -0.5, dim=-1)
        with torch.no_grad():
            x.copy_(w @ v)
        return w @ v
