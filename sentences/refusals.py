"""Why what a file defines cannot be judged."""

from __future__ import annotations

__all__ = ["REFUSALS"]

REFUSALS: dict[str, dict[str, str]] = {
    # The file has neither a class nor a function.
    "no-class": {
        "en": "no class in the file can be judged; {kata} needs `{wanted}`, a class with a `forward`",
        "zh": "文件里没有可以评判的类；{kata} 要找的是 `{wanted}`，一个带 `forward` 的类",
    },
    # `--class` names none of them.
    "no-class-named": {
        "en": "there is no class called `{name}` in the file; found: {found}",
        "zh": "文件里没有叫 `{name}` 的类；找到的有：{found}",
    },
    # Classes are there, and none is nearer than the others.
    "class-unclear": {
        "en": "several classes could be the one to judge: {found}; say which with `--class NAME`",
        "zh": "有几个类都可能是要评判的：{found}；请用 `--class NAME` 指明",
    },
    "init-misspelt": {
        "en": "line {line} defines `{name}`; Python calls `{meant}`, with two underscores on "
        "each side",
        "zh": "第 {line} 行定义了 `{name}`；Python 调用的是 `{meant}`，两边各两个下划线",
    },
    # All that is asked for still raises NotImplementedError.
    "unwritten": {
        "en": "not written yet: line {line} still raises NotImplementedError",
        "zh": "还没有写：第 {line} 行仍在抛出 NotImplementedError",
    },
    # All that is asked for has a body of `pass`, `...` or a docstring.
    "hollow": {
        "en": "not written yet: there is no code in `{name}` (line {line})",
        "zh": "还没有写：`{name}` 里还没有代码（第 {line} 行）",
    },
    # The constructor raised with the arguments it was matched to.
    "construct-raised": {
        "en": "`{name}({given})` raised {kind}{at}: {reason}",
        "zh": "`{name}({given})` {at}抛出 {kind}：{reason}",
    },
    "forward-missing": {
        "en": "`{name}` has no forward method",
        "zh": "`{name}` 没有 forward 方法",
    },
    "returns-nothing": {
        "en": "`{name}` returned {kind} instead of a tensor; is a `return` missing?",
        "zh": "`{name}` 返回的是 {kind}，应该返回一个张量；是不是漏了 `return`？",
    },
    "returns-sparse": {
        "en": "`{name}` returned a sparse tensor, and callers need an ordinary one; `.to_dense()` "
        "makes it one",
        "zh": "`{name}` 返回的是稀疏张量，调用者需要普通的张量；请用 `.to_dense()` 转换",
    },
    "returns-nested": {
        "en": "`{name}` returned a nested tensor, and callers need an ordinary one; "
        "`torch.nested.to_padded_tensor` makes it one",
        "zh": "`{name}` 返回的是 nested tensor，调用者需要普通的张量；请用 "
        "`torch.nested.to_padded_tensor` 转换",
    },
    "returns-other": {
        "en": "`{name}` returned {kind} where a tensor is wanted",
        "zh": "`{name}` 返回的是 {kind}，应该返回一个张量",
    },
    "returns-array": {
        "en": "`{name}` returned a NumPy array; tensors come in, and a tensor has to come out",
        "zh": "`{name}` 返回的是 NumPy 数组；传入的是张量，返回的也应是张量",
    },
    # Functions are there, but none that fits.
    "no-function": {
        "en": "the kata asks for {wanted}; the file has {found}",
        "zh": "题目要的是 {wanted}；文件里有的是 {found}",
    },
    # Only classes are there.
    "no-function-class": {
        "en": "the kata asks for {wanted}; the file has the class {found}: write what it does as a plain function, outside any class",
        "zh": "题目要的是 {wanted}；文件里有的是类 {found}：请把它做的事写成普通函数，放在类的外面",
    },
    "no-function-at-all": {
        "en": "the kata asks for {wanted}; the file defines no function",
        "zh": "题目要的是 {wanted}；文件里没有定义任何函数",
    },
    # Some of several are there, and the file has others that are called by nobody.
    "functions-missing": {
        "en": "the kata also asks for {wanted}; the file has {found}",
        "zh": "题目还要 {wanted}；文件里有的是 {found}",
    },
    # Some of several are right and the rest is not written.
    "functions-wait": {
        "en": "{done} of {count} done; still to write: {names}",
        "zh": "已完成 {done}/{count}；还没写：{names}",
    },
    # A part of several that raises NotImplementedError in another function.
    "waits-for": {
        "en": "calls `{name}`, which is not written yet",
        "zh": "调用了还没有写的 `{name}`",
    },
    # A class is asked for, and only functions are there.
    "class-not-function": {
        "en": "the kata asks for a class `{wanted}` with a `forward`; the file has only the function {found}",
        "zh": "题目要的是带 `forward` 的类 `{wanted}`；文件里只有函数 {found}",
    },
    # An argument that the kata does not give has no default.
    "direct-signature": {
        "en": "the kata calls {wanted}; `{name}` (line {line}) asks for {more} too: give a default, "
        "or leave it out",
        "zh": "题目会这样调用：{wanted}；`{name}`（第 {line} 行）还要 {more}：请给出默认值，或去掉",
    },
    # The plainest call is right with batch and heads as one axis; `axes-two`: with one head.
    "axes-three": {
        "en": "`{name}` is written for tensors of three axes, but the kata gives four, heads beside "
        "batch; name axes from the end (`shape[-2]`, `transpose(-2, -1)`), so that any number may precede",
        "zh": "`{name}` 是为三维张量写的，而题目给的是四维，batch 之外还有 heads；请从末尾数维度"
        "（`shape[-2]`、`transpose(-2, -1)`），前面有几维都行",
    },
    "axes-two": {
        "en": "`{name}` is written for one head of one sample, but the kata gives tensors of four axes, "
        "batch and heads first; name axes from the end (`shape[-2]`, `transpose(-2, -1)`)",
        "zh": "`{name}` 是为一个样本的一个 head 写的，而题目给的是四维张量，前面是 batch 和 heads；请从末尾数维度"
        "（`shape[-2]`、`transpose(-2, -1)`）",
    },
    # Such an argument is for tables of cosines, in a kata without a cache.
    "direct-signature-tables": {
        "en": "the kata calls {wanted}; `{name}` (line {line}) asks for {more} too: no tables are "
        "handed over, so make the cosines and sines inside, from the positions",
        "zh": "题目会这样调用：{wanted}；`{name}`（第 {line} 行）还要 {more}：题目不传表，请在函数里用位置算出 "
        "cos 和 sin",
    },
    # The same in a kata with a cache.
    "direct-signature-cache": {
        "en": "the kata calls {wanted}; `{name}` (line {line}) asks for {more} too: neither tables nor "
        "positions are handed over, so count what the cache holds, and make cosines and sines inside",
        "zh": "题目会这样调用：{wanted}；`{name}`（第 {line} 行）还要 {more}：题目不传表，也不传位置，请从 cache "
        "的长度数起，并在里面算出 cos 和 sin",
    },
    # Such an argument is for what the forward pass has made.
    "direct-signature-pass": {
        "en": "the kata calls {wanted}; `{name}` (line {line}) asks for {more} too: nothing of the "
        "forward pass is handed over, so compute it again",
        "zh": "题目会这样调用：{wanted}；`{name}`（第 {line} 行）还要 {more}：题目不传前向的任何结果，请重新算一遍",
    },
    "direct-raised": {
        "en": "the first plain call, {call}, raised {kind}{at}: {reason}",
        "zh": "第一次普通调用 {call} {at}抛出 {kind}：{reason}",
    },
    "constructor-lacks": {
        "en": "the kata makes {wanted}, and the constructor takes nothing for {more}: give it these "
        "arguments, since the kata sets them apart from the others",
        "zh": "题目会这样创建对象：{wanted}；构造函数没有对应 {more} 的参数：请加上，这些值由题目单独给定",
    },
    "letters-misspelt": {
        "en": "line {line} defines `{name}`; Python calls `{meant}`",
        "zh": "第 {line} 行定义了 `{name}`；Python 调用的是 `{meant}`",
    },
    "forward-misspelt": {
        "en": "line {line} defines `{name}`; torch calls `forward`",
        "zh": "第 {line} 行定义了 `{name}`；torch 调用的是 `forward`",
    },
}
