# wrong: drill-axes permutation-inverted line 11
import torch

by_transpose = lambda x: x.transpose(1, 2)
by_permute = lambda x: x.permute(0, 2, 1, 3)
by_swapaxes = lambda x: x.swapdims(1, 2)
by_movedim = lambda x: x.moveaxis(1, 2)
swap_last = lambda k: k.mT
swap_last_copy = lambda k: k.mT.contiguous()
heads_to_front = lambda x: x.movedim(2, 0)
heads_to_back = lambda x: x.movedim(2, 0).contiguous()
