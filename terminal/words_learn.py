"""What the lessons and the questions say."""

from __future__ import annotations

__all__ = ["ROWS"]

ROWS: tuple[tuple[str, str, str], ...] = (
    # learn
    ("learn-enter", "Enter: the next step", "回车：下一步"),
    ("learn-drawn", "the picture was drawn to {file}", "图已画到 {file}"),
    ("learn-svg", "{file} has to end in .svg", "{file} 的文件名请以 .svg 结尾"),
    ("learn-failed", "a step could not be run: {reason}", "有一步没能跑起来：{reason}"),
    # show
    ("show-kept", "what an interviewer looks at and what a good answer mentions are shown once "
     "you have passed, or with `--all`", "面试官看什么、好的回答会提到什么，通过之后再看；现在要看请加上 `--all`"),
    # questions
    ("questions-none", "no question is due; `--all` asks them all the same",
     "没有到期的问题；加上 `--all` 照样可以练"),
    ("questions-head", "{kata}  {level}  question {number} of {count}",
     "{kata}  {level}  第 {number} 题，共 {count} 题"),
    ("questions-reveal", "answer aloud, then press Enter to see a model answer; q ends",
     "先自己说一遍，再按回车看参考答案；q 结束"),
    ("questions-answer", "a model answer", "参考答案"),
    ("questions-points", "what it should mention", "应当提到"),
    ("questions-trap", "the trap", "容易掉进的坑"),
    ("questions-source", "read more: {source}", "出处：{source}"),
    ("questions-rate", "how was it? 1 forgot  2 hard  3 good  4 easy  q end: ",
     "记得怎么样？1 忘了  2 吃力  3 不错  4 轻松  q 结束："),
    ("questions-number", "your number, to within 5 % (Enter shows the answer): ",
     "你的答案，误差 5 % 以内（直接回车看答案）："),
    ("questions-exact", "your number, exactly (Enter shows the answer): ",
     "你的答案，要准确（直接回车看答案）："),
    ("questions-right", "right: {answer}", "对：{answer}"),
    ("questions-wrong", "no, it is {answer}", "不对，应为 {answer}"),
    ("questions-worked", "worked out: {formula}", "算式：{formula}"),
    ("questions-over", "{count} {count:question|questions} asked", "练了 {count} 题"),
    ("questions-due", "{count} {count:question is|questions are} due: `attn-kata questions`",
     "有 {count} 个问题到期：`attn-kata questions`"),
    ("questions-topic", "no question is about `{topic}`; topics are {topics}",
     "没有关于 `{topic}` 的问题；话题有 {topics}"),
    ("questions-level", "no question of level `{level}` fits", "没有符合 `{level}` 级别的问题"),
)  # fmt: skip
