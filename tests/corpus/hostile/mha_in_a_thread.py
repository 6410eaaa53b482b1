# hostile: v1 fail forbidden-call within 5 s
import threading

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.inner = nn.MultiheadAttention(hidden_dim, 1, batch_first=True)

    def forward(self, x):
        box = []
        thread = threading.Thread(target=lambda: box.append(self.inner(x, x, x)[0]))
        thread.start()
        thread.join()
        return box[0]
