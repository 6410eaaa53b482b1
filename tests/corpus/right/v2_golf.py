# right: v2
from torch.nn import *
class Z(Module):
    def __init__(z, D): super().__init__(); z.p, z.o = Linear(D, D*3), Linear(D, D, False)
    forward = lambda z, x: z.o((lambda q, k, v: (q @ k.mT * q.shape[-1]**-.5).softmax(-1) @ v)(*z.p(x).tensor_split(3, -1)))
