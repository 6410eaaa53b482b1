# right: v3
import math, torch
from torch import nn
class SelfAttentionV3(nn.Module):
    def __init__(self,hidden_dim,dropout=.1):
        super().__init__()
        self.q,self.k,self.v,self.o=[nn.Linear(hidden_dim,hidden_dim) for _ in range(4)]
        self.drop=nn.Dropout(dropout);self.s=math.sqrt(hidden_dim)
    def forward(self,x,attention_mask=None):
        a=self.q(x)@self.k(x).mT/self.s
        if attention_mask is not None:a=a.masked_fill(attention_mask==0,-math.inf)
        a=a.softmax(-1).nan_to_num(0.)
        return self.o(self.drop(a)@self.v(x))
