"""The steps of the lesson on triton-flash, each after its `# %%`; the last part makes the picture."""

# %% a grid of programs
import torch

torch.set_printoptions(precision=2, sci_mode=False)
length, tile = 5, 2
programs = -(-length // tile)
for program in range(programs):
    rows = program * tile + torch.arange(tile)
    print(program, rows, rows < length)

# %% one tile of keys
scores = torch.tensor([[1.0, 3.0], [2.0, 0.0]])
highest = scores.amax(dim=1)
exps = (scores - highest[:, None]).exp()
total = exps.sum(dim=1)
print(highest, total)

# %% the next tile
scores = torch.tensor([[4.0, 1.0], [1.0, 1.0]])
new_highest = torch.maximum(highest, scores.amax(dim=1))
rescale = (highest - new_highest).exp()
total = total * rescale + (scores - new_highest[:, None]).exp().sum(dim=1)
print(rescale, total)

# %% lanes left over
scores = torch.tensor([[3.0, 0.0], [2.0, 0.0]])
columns = 4 + torch.arange(2)
print((scores - 4).exp().sum(dim=1))
scores = torch.where(columns < length, scores, float("-inf"))
print((scores - 4).exp().sum(dim=1))

# %% tiles that a causal program needs
for program in range(programs):
    stop = min((program + 1) * tile, length)
    print(program, [start for start in range(0, stop, tile)])

# %% picture
rows, columns = torch.arange(6)[:, None], torch.arange(6)
seen = (columns <= rows) & (columns < length) & (rows < length)
picture = seen.float().view(3, 2, 3, 2).mean(dim=(1, 3))
rows, columns = ("queries 0, 1", "queries 2, 3", "queries 4, 5"), ("0, 1", "2, 3", "4, 5")
