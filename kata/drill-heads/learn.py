"""The steps of the lesson on drill-heads, each after its `# %%`; the last part makes the picture."""

# %% eight letters
import torch

x = torch.tensor([list(map(ord, "abcd")), list(map(ord, "efgh"))])


def show(t):
    print(["".join(map(chr, row)) for row in t.tolist()])


show(x)

# %% cut, then swap
cut = x.view(2, 2, 2)
heads = cut.transpose(0, 1)
for head in heads:
    show(head)

# %% swapped names instead of axes
for head in x.view(2, 2, 2):
    show(head)

# %% and back
show(heads.transpose(0, 1).reshape(2, 4))
show(heads.reshape(2, 4))

# %% view or reshape
try:
    heads.transpose(0, 1).view(2, 4)
    print("view works: back in the old order")
    heads.view(2, 4)
except RuntimeError:
    print("view raises: the strides do not fit")

# %% picture
picture = (heads.flatten(1) - ord("a")).double()
rows, columns = ("head 0", "head 1"), ("pos 0", "pos 0", "pos 1", "pos 1")
