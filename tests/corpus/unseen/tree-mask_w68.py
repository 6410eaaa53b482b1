import math
from functools import reduce

import torch


def adjacency(back):
    i = torch.arange(len(back), device=back.device)
    return (i[None, :] == (i - back)[:, None]) | (i[None, :] == i[:, None])


def square(m):
    f = m.float()
    return (f @ f) > 0


def tree_mask(back):
    rounds = int(math.log2(len(back))) if len(back) > 1 else 0
    return reduce(lambda m, _: square(m), range(rounds), adjacency(back))


def tree_attention(query, key, value, back):
    n, total = query.shape[-2], key.shape[-2]
    whole = lambda m: torch.nn.functional.pad(m, (total - n, 0), value=True)
    hidden = whole(tree_mask(back)).logical_not()
    weigh = lambda s: s.masked_fill(hidden, -math.inf).softmax(-1)
    return weigh(query @ key.mT / math.sqrt(query.shape[-1])) @ value
