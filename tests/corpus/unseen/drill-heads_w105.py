from typing import NamedTuple


class Dims(NamedTuple):
    bsz: int
    seq: int
    n_head: int
    d_head: int

    @property
    def d_model(self):
        return self.n_head * self.d_head


def _dims(x, n_head):
    bsz, seq, d_model = x.shape
    return Dims(bsz, seq, n_head, d_model // n_head)


def split_by_view(x, num_heads):
    return x.view(_dims(x, num_heads)).transpose(1, 2)


def split_by_permute(x, num_heads):
    return x.view(_dims(x, num_heads)).permute([0, 2, 1, 3])


def split_by_unflatten(x, num_heads):
    return x.unflatten(2, _dims(x, num_heads)[2:]).transpose(1, 2)


def merge_by_view(heads):
    dims = Dims(*heads.shape)
    flat = heads.transpose(1, 2).contiguous()
    return flat.view(dims.bsz, dims.seq, dims.d_model)


def merge_by_reshape(heads):
    rows = heads.transpose(1, 2)
    return rows.reshape(*rows.shape[:2], -1)


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(2)
