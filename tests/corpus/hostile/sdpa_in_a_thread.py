# hostile: v1 fail forbidden-call within 5 s
import math

import torch
from torch import nn
import threading


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        box = []
        thread = threading.Thread(target=lambda: box.append(nn.functional.scaled_dot_product_attention(q, k, v)))
        thread.start()
        thread.join()
        return box[0]
