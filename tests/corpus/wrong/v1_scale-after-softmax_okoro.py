# wrong: v1 scale-after-softmax line 18
import torch.nn as nn
import torch.nn.functional as F

class Attention(nn.Module):

    def __init__(self, d_model):
        super(Attention, self).__init__()
        self.d_model = d_model
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, inputs):
        queries = self.W_q(inputs)
        keys = self.W_k(inputs)
        values = self.W_v(inputs)
        attn = F.softmax(queries.bmm(keys.permute(0, 2, 1)), dim=2) / self.d_model ** 0.5
        return attn.bmm(values)
