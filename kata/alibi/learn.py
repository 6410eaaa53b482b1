"""The steps of the lesson on alibi, each after its `# %%`; the last part makes the picture."""

# %% a penalty for distance
import torch

torch.set_printoptions(precision=2, sci_mode=False)
distance = torch.arange(3, -1, -1.0)
print(distance)
print((-0.5 * distance).softmax(dim=-1))

# %% a slope for every head
slopes = 2.0 ** torch.arange(-1, -9, -1)
print(slopes[:4])
for slope in (slopes[0], slopes[3], slopes[7]):
    print((-slope * distance).softmax(dim=-1))

# %% slopes, rows and columns
queries, keys = torch.arange(2, 4), torch.arange(4)
apart = queries[:, None] - keys
bias = -slopes[:2, None, None] * apart
bias = bias.masked_fill(apart < 0, float("-inf"))
print(bias.shape)
print(bias[0])

# %% what a whole row has in common is ignored
row = torch.tensor([0.3, -1.0, 2.0, 0.5])
by_distance = (row - 0.5 * distance).softmax(dim=-1)
by_position = (row + 0.5 * torch.arange(4)).softmax(dim=-1)
print(torch.allclose(by_distance, by_position))

# %% picture
picture = torch.stack([(-s * distance).softmax(dim=-1) for s in slopes[:4]])
rows = ("slope 1/2", "slope 1/4", "slope 1/8", "slope 1/16")
columns = ("3 back", "2 back", "1 back", "itself")
