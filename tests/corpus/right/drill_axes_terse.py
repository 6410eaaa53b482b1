# right: drill-axes
import torch as t

by_transpose = lambda x: t.transpose(x, -2, -3)
by_permute = lambda x: t.permute(x, (0, 2, 1, 3))
by_swapaxes = lambda x: t.swapdims(x, 1, 2)
by_movedim = lambda x: t.moveaxis(x, -3, -2)
swap_last = lambda k: k.mT
swap_last_copy = lambda k: k.mT.contiguous()
heads_to_front = lambda x: x.movedim(2, 0)
heads_to_back = lambda x: x.movedim(0, 2).contiguous()
