# right: rope
import torch as t

ang = lambda x, p, b: (p[:, None] * b ** -(t.arange(0, x.size(-1), 2, device=x.device) / x.size(-1)))
spin = lambda a, b, w: (a * w.cos() - b * w.sin(), a * w.sin() + b * w.cos())
rope_half_split = lambda x, positions, base=1e4: t.cat(spin(*x.chunk(2, -1), ang(x, positions, base)), -1).to(x.dtype)
rope_interleaved = lambda x, positions, base=1e4: t.stack(spin(x[..., ::2], x[..., 1::2], ang(x, positions, base)), -1).reshape(x.shape).to(x.dtype)
