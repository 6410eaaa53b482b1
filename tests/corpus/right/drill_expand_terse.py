# right: drill-expand
import torch as t

share_keys = lambda k, h: k[:, None].expand(-1, h, -1, -1)
silence_head = lambda k, h, i: k[:, None] * (t.arange(h, device=k.device) != i)[:, None, None]
repeat_kv = lambda k, r: k[:, :, None].expand(-1, -1, r, -1, -1).flatten(1, 2)
add_slopes = lambda s, m: s + m[:, None, None]
distances = lambda p: p - p[:, None]
