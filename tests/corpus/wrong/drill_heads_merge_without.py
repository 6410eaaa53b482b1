# wrong: drill-heads heads-merge-without-transpose line 6
split_by_view = lambda x, h: x.view(*x.shape[:2], h, -1).transpose(1, 2)
split_by_permute = lambda x, h: x.unflatten(-1, (h, -1)).permute(0, 2, 1, 3)
split_by_unflatten = lambda x, h: x.unflatten(-1, (h, -1)).transpose(1, 2)
merge_by_view = lambda y: y.transpose(1, 2).contiguous().view(len(y), y.size(2), -1)
merge_by_reshape = lambda y: y.reshape(y.size(0), y.size(2), -1)
merge_by_flatten = lambda y: y.transpose(1, 2).flatten(-2)
