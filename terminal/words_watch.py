"""What the watch screen says about its keys."""

from __future__ import annotations

__all__ = ["ROWS"]

ROWS: tuple[tuple[str, str, str], ...] = (
    ("name-enter", "Enter", "回车"),
    ("name-space", "Space", "空格"),
    ("key-keys", "keys", "按键"),
    ("key-open", "open", "打开"),
    ("key-all", "all katas", "全部题目"),
    ("key-filter", "filter", "筛选"),
    ("watch-none", "no kata matches `{wanted}`", "没有题目符合 `{wanted}`"),
    ("watch-key-line", "a line up or down; in the list, another kata", "上下移动一行；在题目列表里换一道题"),
    ("watch-key-page", "a page down or up", "下翻一页或上翻一页"),
    ("watch-key-ends", "the beginning, the end", "开头、末尾"),
    ("watch-key-back", "back to the verdict", "回到评判结果"),
    ("watch-key-open", "in the list: open the marked kata", "在题目列表里：打开选中的题"),
    ("watch-key-filter", "in the list: type a part of a name", "在题目列表里：输入名称的一部分"),
    ("watch-key-stop", "stop for a while; `fg` in the shell comes back", "暂时停下；在 shell 里输入 `fg` 回来"),
    ("watch-key-next", "go on to the next kata", "去下一道题"),
    ("watch-key-run", "judge the file again", "再评判一次"),
    ("watch-key-brief", "what the kata asks for", "题目要求"),
    ("watch-key-why", "the page on the mistake", "这个错误的说明"),
    ("watch-key-hint", "a hint", "一条提示"),
    ("watch-key-trace", "every call of your code with its shapes", "你的代码的每一次调用和形状"),
    ("watch-key-heat", "the attention weights, yours and those expected", "注意力权重：你的和应有的"),
    ("watch-key-solution", "the model answer", "参考答案"),
    ("watch-key-list", "all katas, to choose another one", "全部题目，另选一道"),
    ("watch-key-quit", "leave", "离开"),
)  # fmt: skip
