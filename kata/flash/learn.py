"""The steps of the lesson on flash, each after its `# %%`; the last part makes the picture."""

# %% all scores at once
import torch

torch.set_printoptions(precision=2, sci_mode=False)
scores = torch.tensor([1.0, 2.0, 4.0])
values = torch.tensor([10.0, 20.0, 30.0])
print((scores - 4).exp().sum())
print(scores.softmax(dim=0) @ values)

# %% the first tile: 1, 2
highest = scores[:2].max()
exps = (scores[:2] - highest).exp()
total, gathered = exps.sum(), exps @ values[:2]
print(highest, total, gathered)

# %% the second tile: 4
new_highest = torch.maximum(highest, scores[2])
rescale = (highest - new_highest).exp()
exps = (scores[2:] - new_highest).exp()
total = rescale * total + exps.sum()
gathered = rescale * gathered + exps @ values[2:]
print(rescale, total, gathered)
print(gathered / total)

# %% forgetting to rescale
first = (scores[:2] - 2).exp()
late = (scores[2:] - 4).exp()
mixed = torch.cat([first, late])
print(mixed @ values / mixed.sum())

# %% what is never made
for length in (1024, 8192, 65536):
    print(length, "scores:", length**2 * 4 // 2**20, "MiB a head")

# %% picture
picture = torch.stack([mixed / mixed.sum(), scores.softmax(dim=0)])
rows = ("not rescaled", "rescaled")
columns = ("score 1", "score 2", "score 4")
