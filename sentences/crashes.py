"""What an exception comes of, and how to mend it."""

from __future__ import annotations

__all__ = ["CRASHES"]

CRASHES: dict[str, dict[str, str]] = {
    "crash-operands-cause": {"en": "{shapes}: {cause}", "zh": "{shapes}：{cause}"},
    "crash-shapes-cause": {"en": "{shapes}; {cause}", "zh": "{shapes}；{cause}"},
    "crash-shapes": {
        "en": "on that line: {shapes}",
        "zh": "这一行上：{shapes}",
    },
    "crash-view": {
        "en": "`view` only reinterprets memory, and after a transpose the memory is in another order; call `.contiguous()` first, or use `reshape`",
        "zh": "`view` 只是换一种方式看同一块内存，而 transpose 之后内存顺序已经变了；先调用 `.contiguous()`，或改用 `reshape`",
    },
    "crash-linear": {
        "en": "in a matrix product, the last axis of the first must be as long as the rows of the second: {part2} is not {part3}; look at the layer's in_features, or at what was transposed or merged before",
        "zh": "矩阵乘法要求前者的最后一维等于后者的行数：{part2} 与 {part3} 不等；检查这一层的 in_features，以及之前的 transpose 或合并",
    },
    "crash-dtype": {
        "en": "two dtypes meet in one operation; make constants and masks in the input's dtype, and convert scores back with `.to(x.dtype)`",
        "zh": "同一个运算里出现了两种 dtype；常量和 mask 应按输入的 dtype 创建，转换过的 scores 要用 `.to(x.dtype)` 转回来",
    },
    "crash-overflow": {
        "en": 'the number does not fit into the tensor\'s dtype: float16 ends at 65504, float32 at 3.4e38; fill with `float("-inf")` or `torch.finfo(scores.dtype).min`',
        "zh": '这个数超出了张量 dtype 的范围：float16 最大到 65504，float32 最大到 3.4e38；请填 `float("-inf")` 或 `torch.finfo(scores.dtype).min`',
    },
    "crash-reshape": {
        "en": "the new shape ({part1}) does not hold the {part2} values there are; take the sizes from the tensor itself, `x.shape`, not from the constructor or from another sequence",
        "zh": "新形状（{part1}）装不下原有的 {part2} 个数；尺寸应取自张量本身的 `x.shape`，而不是构造函数或另一个序列",
    },
    "crash-broadcast": {
        "en": "axes are matched from the right, and {part1} and {part2} differ where neither is 1; where a tensor lacks an axis, `unsqueeze` inserts one of size 1 (`unsqueeze(1)` for a mask's heads); a mask that is too long has to be cut to the current length",
        "zh": "广播从最右边的维度对起，{part1} 与 {part2} 不等且都不是 1；哪个张量缺一维，就用 `unsqueeze` 在那里补上大小为 1 的维度（mask 的 head 维用 `unsqueeze(1)`）；mask 太长则按当前长度切片",
    },
    "crash-batches": {
        "en": "a batched product takes two tensors with the same leading axes, (batch, n, m) and (batch, m, p); fold the heads into the batch on both sides, or use `@`, which broadcasts",
        "zh": "批量矩阵乘法要求两边前面的维度相同：(batch, n, m) 与 (batch, m, p)；两边都要把 head 并进 batch，或改用会广播的 `@`",
    },
    "crash-fused": {
        "en": "the query and the key have to have the same last axis, and the key and the value the "
        "same length",
        "zh": "query 和 key 的最后一维必须相同，key 和 value 的长度必须相同",
    },
    "crash-axis": {
        "en": "the tensor has fewer axes than this number needs; count them, or count from the end with -1 and -2",
        "zh": "张量没有这么多维；数一数维度，或用 -1、-2 从末尾数起",
    },
    "crash-bool": {
        "en": "booleans cannot be subtracted or negated; invert a mask with `~mask`, or turn it into a number first",
        "zh": "布尔张量不能相减或取负；取反请用 `~mask`，或先转成数",
    },
    "crash-invert": {
        "en": "`~` inverts booleans, and this mask holds floats; compare it first, `mask == 0`",
        "zh": "`~` 只对布尔（或整数）取反，而这个 mask 是浮点；先比较一下：`mask == 0`",
    },
    "crash-mask-dtype": {
        "en": "`masked_fill` needs a boolean mask; compare it first, `mask == 0`",
        "zh": "`masked_fill` 要的是布尔 mask；先比较一下：`mask == 0`",
    },
    "crash-mask-plain": {
        "en": "the mask or condition is a plain True or False here, as `mask == 0` is where the mask is None; ask "
        "`if mask is not None` first",
        "zh": "这里的 mask（或条件）只是一个 True 或 False：mask 为 None 时，`mask == 0` 就是这样；"
        "请先写 `if mask is not None`",
    },
    "crash-fill-value": {
        "en": "`masked_fill` fills with one number, not with a tensor that has axes",
        "zh": "`masked_fill` 只能填一个数，不能填带维度的张量",
    },
    "crash-truth": {
        "en": "`if`, `and`, `or` and `not` need one yes or no, and a mask holds many; ask `if mask is not None`",
        "zh": "`if`、`and`、`or`、`not` 需要一个是或否，而 mask 有很多个；请写 `if mask is not None`",
    },
    "crash-leaf": {
        "en": "a parameter, or an input whose gradient is asked for, is changed in place, which autograd does not allow; make a new tensor",
        "zh": "参数（或要求梯度的输入）被原地修改了，求梯度时不允许；请生成一个新张量",
    },
    "crash-in-place": {
        "en": "a value that the backward pass still needs was overwritten in place; make a new one (no `+=`, and no method whose name ends in an underscore)",
        "zh": "反向传播还要用的值被原地改掉了；请另建一个（不用 `+=`，也不用名字以下划线结尾的方法）",
    },
    "crash-call": {
        "en": "a tensor is called like a function; attributes such as `.T`, `.mT` and `.shape` take no parentheses",
        "zh": "把张量当函数调用了；`.T`、`.mT`、`.shape` 这类属性后面不加括号",
    },
    "crash-argument": {
        "en": "the call leaves out an argument that has no default",
        "zh": "调用时漏了一个没有默认值的参数",
    },
    "crash-none": {
        "en": "a value is None here: perhaps a mask that was not given, or a function that ends without `return`",
        "zh": "这里的值是 None：可能是没有传 mask，也可能是某个函数忘了 `return`",
    },
    "crash-super": {
        "en": "a constructor has to begin with `super().__init__()`; without it a module cannot hold layers",
        "zh": "构造函数第一行要写 `super().__init__()`；否则模块放不下任何层",
    },
    "crash-no-driver": {
        "en": "there is no GPU here, and Triton's interpreter runs the kernel: leave out what asks a driver, such as `triton.autotune` or `get_active_torch_device`, and take the device from the input",
        "zh": "这里没有 GPU，kernel 由 Triton 的解释器运行：去掉向驱动查询的代码，例如 `triton.autotune`、`get_active_torch_device`，设备从输入取",
    },
    "crash-mask-wide": {
        "en": "the mask lets lanes through that have no entry: it has to hold for every axis, rows that are not there included, or the addresses or the grid are wrong",
        "zh": "mask 放过了没有对应元素的 lane：每一维都要挡住，包括不存在的行；不然就是地址或 grid 算错了",
    },
    "crash-on-line": {
        "en": "line {line} raised {kind}: {reason} ({case})",
        "zh": "第 {line} 行抛出 {kind}：{reason}（{case}）",
    },
    "crash-nowhere": {
        "en": "{kind} was raised: {reason} ({case})",
        "zh": "抛出了 {kind}：{reason}（{case}）",
    },
    "at": {"en": " at line {line}", "zh": "在第 {line} 行"},
    "on": {"en": "line {line}: ", "zh": "第 {line} 行："},
    "operand": {"en": "`{text}` is {shape}", "zh": "`{text}` 是 {shape}"},
    "crash-meant": {
        "en": "`{meant}` was probably meant",
        "zh": "想写的大概是 `{meant}`",
    },
    "crash-import": {
        "en": "add `{meant}` at the top of the file",
        "zh": "请在文件开头加上 `{meant}`",
    },
    "crash-all-axes": {
        "en": "`.T` reverses all axes; write `.transpose(-2, -1)`",
        "zh": "`.T` 会把所有维度反过来；请写 `.transpose(-2, -1)`",
    },
    "crash-t": {
        "en": "`.t()` takes two axes at most; write `.transpose(-2, -1)`",
        "zh": "`.t()` 最多用于两维；请写 `.transpose(-2, -1)`",
    },
    "crash-transpose": {
        "en": "`.{part1}` swaps two axes; `.permute` puts all of them in an order",
        "zh": "`.{part1}` 只交换两个维度；要重排所有维度请用 `.permute`",
    },
    "crash-inner": {
        "en": "the last axis of the first ({first}) has to be as long as the second-to-last of the "
        "second ({second})",
        "zh": "前者的最后一维（{first}）必须与后者的倒数第二维（{second}）一样长",
    },
    "crash-inner-turn": {
        "en": "the last axis of the first ({first}) has to be as long as the second-to-last of the "
        "second ({second}); write `{turned}`",
        "zh": "前者的最后一维（{first}）必须与后者的倒数第二维（{second}）一样长；请写 `{turned}`",
    },
    "crash-layer": {
        "en": "the layer takes {wanted} features and is given {given}",
        "zh": "这一层接收 {wanted} 个特征，给它的却是 {given} 个",
    },
    "crash-product": {
        "en": "the last axis of the first has to be as long as the second-to-last of the second, and "
        "the axes before them the same or 1",
        "zh": "前者的最后一维必须与后者的倒数第二维一样长，再往前的维度必须相同或者是 1",
    },
    "crash-leading": {
        "en": "the axes before the last two, {first} and {second}, have to be the same or 1",
        "zh": "最后两维之前的维度 {first} 和 {second} 必须相同，或者是 1",
    },
    "crash-align": {
        "en": "axes are matched from the right, and {part1} and {part2} differ where neither is 1",
        "zh": "广播从最右边的维度对起，{part1} 与 {part2} 不等，且都不是 1",
    },
    "crash-lacks": {
        "en": "axes are matched from the right, and {part1} and {part2} differ where neither is 1; "
        "where a tensor lacks an axis, `unsqueeze` puts in one of size 1",
        "zh": "广播从最右边的维度对起，{part1} 与 {part2} 不等，且都不是 1；"
        "哪个张量缺一维，就用 `unsqueeze` 在那里补上大小为 1 的维度",
    },
    "crash-target": {
        "en": "`{sign}` keeps the shape of its left-hand side; write `{wanted}`",
        "zh": "`{sign}` 会保持左边张量的形状；请写 `{wanted}`",
    },
    "crash-target-plain": {
        "en": "`{sign}` keeps the shape of its left-hand side",
        "zh": "`{sign}` 会保持左边张量的形状",
    },
    "crash-cat": {
        "en": "all axes but the one that they are joined along have to be the same",
        "zh": "除了拼接的那一维，其余维度都必须相同",
    },
    "crash-einsum": {
        "en": "each letter of the equation stands for one size, in every tensor",
        "zh": "等式里的每个字母在所有张量里都代表同一个大小",
    },
    "crash-einsum-twice": {
        "en": "each letter may stand only once behind `->`",
        "zh": "`->` 后面每个字母只能写一次",
    },
    "crash-empty-axis": {
        "en": "the tensor is empty here, and nothing has no largest and no smallest entry",
        "zh": "这里的张量是空的，取不出最大或最小的元素",
    },
    "crash-no-parameters": {
        "en": "a module counts neither layers in a plain list nor tensors that are no "
        "`nn.Parameter` among its parameters; put layers in an `nn.ModuleList`",
        "zh": "普通列表里的层、不是 `nn.Parameter` 的张量，都不算模块的参数；"
        "层请放进 `nn.ModuleList`",
    },
    "crash-truth-plain": {
        "en": "`if`, `and`, `or` and `not` want one yes or no, and a tensor has many",
        "zh": "`if`、`and`、`or`、`not` 需要一个是或否，而张量里有很多个",
    },
    "crash-none-plain": {
        "en": "a value is None here; a function that ends without `return` gives None",
        "zh": "这里的值是 None；没有 `return` 的函数会返回 None",
    },
    "crash-invert-named": {
        "en": "`~` inverts booleans, and `{name}` holds floats; compare it first: `{name} == 0`",
        "zh": "`~` 只对布尔（或整数）取反，而 `{name}` 是浮点；先比较一下：`{name} == 0`",
    },
    "crash-two-results": {
        "en": "along an axis `{call}` gives values and their indices; take `.values`, or `a{call}`",
        "zh": "沿某一维取 `{call}` 会同时返回值和下标；请取 `.values`，或改用 `a{call}`",
    },
    "crash-default": {
        "en": "the kata calls it without {names}: give a default",
        "zh": "题目调用它时不传 {names}：请给出默认值",
    },
    "crash-numpy": {
        "en": "this is NumPy's, and the inputs are tensors: use torch's own functions throughout",
        "zh": "这是 NumPy 的用法，而传进来的是张量；请全部使用 torch 自己的函数",
    },
    "crash-number": {
        "en": "`torch.{part1}` takes a tensor, `math.{part1}` a number",
        "zh": "`torch.{part1}` 接收张量，数字请用 `math.{part1}`",
    },
    "crash-unpack": {
        "en": "a shape has as many sizes as its tensor has axes: name that many on the left",
        "zh": "张量有几维，shape 就有几个数：左边要写同样多的名字",
    },
    "crash-recursion": {
        "en": "it calls itself without end",
        "zh": "它无休止地调用自己",
    },
    "crash-matrix": {
        "en": "`mm` takes only tensors with two axes; `@` takes more",
        "zh": "`mm` 只接受二维张量；更多维请用 `@`",
    },
    "crash-brackets": {
        "en": "`.shape` takes no parentheses; `.size()` does",
        "zh": "`.shape` 后面不加括号；`.size()` 才加",
    },
    "crash-class": {
        "en": "line {line} keeps the class `{made}` itself in `{name}`; make one: `{made}(…)`",
        "zh": "第 {line} 行存进 `{name}` 的是 `{made}` 这个类本身；请创建一个：`{made}(…)`",
    },
    "crash-uncalled": {
        "en": "a method was named without `()` and so never called",
        "zh": "有个方法只写了名字，没有加 `()`，因此没有被调用",
    },
    "crash-uncalled-named": {
        "en": "`{name}` is a method; call it: `{name}()`",
        "zh": "`{name}` 是方法；请调用它：`{name}()`",
    },
    "crash-uncalled-kept": {
        "en": "line {line} keeps the method `{made}` itself in `{name}`; call it: `{made}()`",
        "zh": "第 {line} 行存进 `{name}` 的是 `{made}` 这个方法本身；请调用它：`{made}()`",
    },
    "crash-given-twice": {
        "en": "`{part1}` is given `{part2}` twice, by its place and by its name; leave one out",
        "zh": "`{part1}` 的 `{part2}` 给了两次：一次按位置，一次按名字；请去掉一个",
    },
    "crash-written-shared": {
        "en": "one entry of it stands in several places, as after `expand`, and it is written to; "
        "`.clone()` gives each place an entry of its own",
        "zh": "它有几个位置共用同一个元素（例如 `expand` 之后），而这里要往里写；"
        "先 `.clone()`，每个位置才有自己的元素",
    },
    "crash-entries": {
        "en": "`{name}` holds {given} entries here, and {names} names stand on the left",
        "zh": "`{name}` 这里有 {given} 项，而左边有 {names} 个名字",
    },
    "crash-index-named": {
        "en": "an index has to be an int, and the `/` on line {line} makes `{name}` a float; `//` "
        "gives an int",
        "zh": "下标必须是整数，而第 {line} 行的 `/` 让 `{name}` 成了浮点数；`//` 才得到整数",
    },
    "crash-list": {
        "en": "this is a Python list, not a tensor; `torch.stack` makes a tensor from a list of "
        "tensors, `torch.tensor` from numbers",
        "zh": "这是 Python 列表，不是张量；张量的列表用 `torch.stack` 合成，数字的列表用 "
        "`torch.tensor`",
    },
    "crash-tuple": {
        "en": "this is a tuple, not a tensor; unpack it, or take the entry you need",
        "zh": "这是元组，不是张量；请拆开它，或取出需要的那一项",
    },
    "crash-whole": {
        "en": "a size has to be an int, and `/` gives a float; write `//`",
        "zh": "大小必须是整数，而 `/` 得到浮点数；请写 `//`",
    },
    "crash-whole-plain": {
        "en": "a size has to be an int, and this is a float",
        "zh": "大小必须是整数，而这里是浮点数",
    },
    "crash-made": {
        "en": "`{made}(…)` only makes the layer; call what it makes with the tensor",
        "zh": "`{made}(…)` 只是创建这一层；请再用张量调用它",
    },
    "crash-keyword": {
        "en": "`{call}` takes {names}",
        "zh": "`{call}` 接收的参数有 {names}",
    },
    "crash-no-argument": {
        "en": "`__init__` has no argument `{name}`; add it",
        "zh": "`__init__` 没有参数 `{name}`；请加上",
    },
    "crash-one-list": {
        "en": "the tensors go in as one list: `[a, b]`",
        "zh": "这些张量要放进一个列表再传入：`[a, b]`",
    },
    "crash-infer": {
        "en": "-1 may stand for one axis only; write the other sizes out",
        "zh": "-1 只能用于一个维度；其余的大小请写出来",
    },
    "crash-dot": {
        "en": "`dot` takes only tensors with one axis; `@` takes more",
        "zh": "`dot` 只接受一维张量；更多维请用 `@`",
    },
    "crash-many": {
        "en": "not counting `self`, it takes {takes} and is given {given}",
        "zh": "不算 `self`，它最多接收 {takes} 个参数，却给了 {given} 个",
    },
    "crash-unset": {
        "en": "the class never sets `self.{name}`; it sets {names}",
        "zh": "这个类从未设置 `self.{name}`；它设置的有 {names}",
    },
    "crash-unset-plain": {
        "en": "the class never sets `self.{name}`",
        "zh": "这个类从未设置 `self.{name}`",
    },
    "crash-permute": {
        "en": "`.permute` has to name every axis of the tensor once",
        "zh": "`.permute` 要把张量的每一维都写一次",
    },
    "self-def": {
        "en": "`{name}` (line {line}) is a method without `self`: make it the first argument",
        "zh": "方法 `{name}`（第 {line} 行）漏了 `self`：它应是第一个参数",
    },
    "self-static": {
        "en": "`{name}` (line {line}) takes `self` but is a `@staticmethod`: remove the decorator",
        "zh": "`{name}`（第 {line} 行）要用 `self`，却写成了 `@staticmethod`：请去掉这个装饰器",
    },
    "self-class": {
        "en": "`{name}` was called on the class; call it on an object",
        "zh": "`{name}` 是在类上调用的；应通过对象调用",
    },
    "self-given": {
        "en": "a method called on an object gets `self` automatically; leave it out of the call",
        "zh": "通过对象调用方法时会自动传入 `self`，调用时不要再写",
    },
    "self-super": {
        "en": "write `super().__init__()`, as the constructor's first line",
        "zh": "构造函数的第一行应写成 `super().__init__()`",
    },
    "self-kept": {
        "en": "line {line} sets `{name}`, a local name; write `self.{name}`",
        "zh": "第 {line} 行设的 `{name}` 只是局部变量；请写 `self.{name}`",
    },
    "self-argument": {
        "en": "the constructor is given `{name}` and does not keep it: `self.{name} = {name}`",
        "zh": "构造函数收下了 `{name}` 却没有保存：`self.{name} = {name}`",
    },
    "self-outside": {
        "en": "`self` is known only inside methods; is this line indented as it should be?",
        "zh": "`self` 只在方法里才有；这一行的缩进对吗？",
    },
}
