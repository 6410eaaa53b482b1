# right: v4 remarks: fill-overflows-half
import argparse
import math

import torch
from torch import nn


def get_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden_dim", type=int, default=32)
    parser.add_argument("--dropout", type=float, default=0.1)
    return parser.parse_args(argv)


class SelfAttentionV4(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        d = args.hidden_dim
        self.query, self.key, self.value = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.out = nn.Linear(d, d)
        self.dropout = nn.Dropout(args.dropout)

    def forward(self, x, attention_mask=None):
        scores = self.query(x).bmm(self.key(x).transpose(1, 2)).div(math.sqrt(self.args.hidden_dim))
        if attention_mask is not None:
            scores = scores + (1.0 - attention_mask.to(scores.dtype)) * -1e9
        return self.out(self.dropout(scores.softmax(2)).bmm(self.value(x)))


if __name__ == "__main__":
    layer = SelfAttentionV4(get_args())
    print(layer(torch.randn(2, 3, 32)).shape)
