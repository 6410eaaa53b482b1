"""Why a file cannot be read, compiled or run."""

from __future__ import annotations

__all__ = ["FILES"]

FILES: dict[str, dict[str, str]] = {
    "file-empty": {
        "en": "the file is empty",
        "zh": "文件是空的",
    },
    "file-is-folder": {
        "en": "this is a folder; give the file in it that holds your class",
        "zh": "这是一个文件夹，请给出其中写有你的类的那个文件",
    },
    "file-too-large": {
        "en": "the file is larger than {size} MB; give only the code for the kata",
        "zh": "文件超过 {size} MB，请只给出这道题的代码",
    },
    "file-unreadable": {
        "en": "cannot read the file: {reason}",
        "zh": "读不了这个文件：{reason}",
    },
    "file-utf16": {
        "en": "the file is UTF-16; save it as UTF-8",
        "zh": "文件是 UTF-16 编码，请另存为 UTF-8",
    },
    "file-not-utf8": {
        "en": "the file is not {name} (line {line}); save it as UTF-8",
        "zh": "文件不是 {name} 编码（第 {line} 行），请另存为 UTF-8",
    },
    "file-encoding": {
        "en": "the file declares the encoding `{name}`, which Python does not know",
        "zh": "文件声明的编码是 `{name}`，Python 不认识这种编码",
    },
    # A pipe or device that has nothing to say for two seconds.
    "file-silent": {
        "en": "nothing can be read from it; give a file that has already been written",
        "zh": "从里面什么也读不到，请给出一个已经写好的文件",
    },
    "file-null-byte": {
        "en": "line {line} contains a null byte; this does not look like Python source",
        "zh": "第 {line} 行里有空字节（null byte），这不像是 Python 源码",
    },
    # What Python's parser raises beside a SyntaxError.
    "file-unparsable": {
        "en": "Python cannot parse the file: {reason}",
        "zh": "Python 解析不了这个文件：{reason}",
    },
    "notebook-broken": {
        "en": "the file cannot be read as a notebook; open it in Jupyter and save it once",
        "zh": "这个文件读不成 notebook，请在 Jupyter 里打开并重新保存一次",
    },
    "notebook-no-code": {
        "en": "the notebook has no code cell with Python in it",
        "zh": "这个 notebook 里没有写着 Python 的代码单元",
    },
    "syntax": {
        "en": "line {line} is not valid Python: {reason}\n    {code}\n    {caret}",
        "zh": "第 {line} 行不是合法的 Python：{reason}\n    {code}\n    {caret}",
    },
    # No plain sign is meant by it; where one is, the sentence below says which.
    "syntax-odd-character": {
        "en": "line {line} contains {code} ({name}), which Python cannot read; such characters often come along when code is pasted from a web page, so replace it with a plain space or sign",
        "zh": "第 {line} 行有字符 {code}（{name}），Python 不认识它；从网页粘贴代码时常会带进来，"
        "请换成普通的空格或符号",
    },
    "syntax-too-deep": {
        "en": "line {line} nests deeper than Python can read; spread it over several statements",
        "zh": "第 {line} 行嵌套太深，Python 读不了；请拆成几条语句",
    },
    # Around any of these, for a notebook's cell that Python rejects.
    "in-cell": {"en": "code cell {cell}: {text}", "zh": "第 {cell} 个代码单元：{text}"},
    "syntax-tabs": {
        "en": "line {line} mixes tabs and spaces; use only spaces",
        "zh": "第 {line} 行混用了 tab 和空格，请只用空格",
    },
    "load-raised": {
        "en": "running the file stopped{at}: {kind}: {reason}",
        "zh": "运行文件时{at}停下：{kind}：{reason}",
    },
    # Added to `load-raised` where no cause is known.
    "load-keep": {
        "en": 'keep only what the kata asks for, or put trials under `if __name__ == "__main__":`',
        "zh": '请只留下题目要的代码，或把试跑的代码放到 `if __name__ == "__main__":` 下面',
    },
    "load-import": {
        "en": "{on}`{name}` is imported, which is not installed here; install it or do without it",
        "zh": "{on}导入了 `{name}`，这里没有安装；请安装它，或者不用它",
    },
    # Also in a call: an unknown name that is near a known one.
    "load-misspelt": {
        "en": "{on}{reason}; you probably meant `{meant}`",
        "zh": "{on}{reason}；想写的大概是 `{meant}`",
    },
    "syntax-odd-character-plain": {
        "en": "line {line} contains `{character}` ({name}), which Python cannot read; write "
        "`{plain}`",
        "zh": "第 {line} 行有 `{character}`（{name}），Python 不认识它；请写 `{plain}`",
    },
}
