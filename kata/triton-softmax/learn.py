"""The steps of the lesson on triton-softmax, each after its `# %%`; the last part makes the picture."""

# %% one program, one row
import torch

torch.set_printoptions(precision=2, sci_mode=False)
memory = torch.tensor([0.0, 1.0, 2.0, 5.0, 5.0, 5.0])
columns, block = 3, 4
lanes = torch.arange(block)
for row in range(2):
    print(row * columns + lanes, lanes < columns)

# %% what lanes left over hold
def load(row, other):
    address = (row * columns + lanes).clamp_max(len(memory) - 1)
    return torch.where(lanes < columns, memory[address], other)
for other in (0.0, float("-inf")):
    values = load(0, other)
    exps = (values - values.max()).exp()
    print(values, exps / exps.sum())

# %% without a mask
print(memory[0 * columns + lanes])
print(len(memory), (1 * columns + lanes).max())

# %% strides
x = memory.view(2, 3).T
print(x.stride(), x.is_contiguous())
rows, columns_of_x = torch.arange(3)[:, None], torch.arange(2)
print(memory[rows * 2 + columns_of_x])
print(memory[rows * x.stride(0) + columns_of_x * x.stride(1)])

# %% a running maximum
highest, total = torch.tensor(float("-inf")), torch.tensor(0.0)
for tile in torch.tensor([0.0, 1.0, 2.0, 3.0]).split(2):
    higher = torch.maximum(highest, tile.max())
    total = total * (highest - higher).exp() + (tile - higher).exp().sum()
    highest = higher
    print(highest, total)
print((torch.arange(4.0) - 3).exp().sum())

# %% picture
values = torch.stack([load(0, other) for other in (0.0, float("-inf"))])
picture = values.softmax(dim=-1)
rows, columns = ("0", "-inf"), ("0", "1", "2", "left over")
