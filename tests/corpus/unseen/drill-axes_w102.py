by_transpose = lambda x: x.transpose(1, 2)
by_permute = lambda x: x.permute(0, 2, 1, 3)
by_swapaxes = lambda x: x.swapaxes(1, 2)
by_movedim = lambda x: x.movedim(1, 2)

swap_last = lambda key: key.swapaxes(-2, -1)
swap_last_copy = lambda key: swap_last(key).clone()

heads_to_front = lambda x: x.permute(2, 0, 1, 3)
heads_to_back = lambda x: x.permute(1, 2, 0, 3).contiguous()
