"""What a report's screen says around what the judge says."""

from __future__ import annotations

__all__ = ["ROWS"]

ROWS: tuple[tuple[str, str, str], ...] = (
    ("verdict-pass", "PASS", "通过"),
    ("verdict-fail", "FAIL", "未通过"),
    ("verdict-error", "ERROR", "无法评判"),
    ("check-pass", "pass", "通过"),
    ("check-fail", "fail", "不符"),
    ("check-wait", "wait", "等待"),
    ("check-skip", "skip", "略过"),
    ("check-note", "note", "备注"),
    ("line", "line {line}", "第 {line} 行"),
    ("want", "want", "应为"),
    ("yours", "yours", "你的"),
    ("yours-table", "yours (*: {wrong} of {total} differ)", "你的（*：{total} 个中 {wrong} 个不符）"),
    ("expected", "expected", "应为"),
    ("at", "at {place}", "位置 {place}"),
    ("off-by", "off by {off}", "相差 {off}"),
    ("first-cells", "(the first of them)", "（只列开头几个）"),
    ("case-differs", "differs with {case}", "不符的用例：{case}"),
    ("shapes-differ", "the output's shape differs; {case}", "输出的形状不符；{case}"),
    ("trace", "line   call, shape of its result, step of attention it reaches",
     "行号   调用、结果的形状、走到注意力的哪一步"),
    ("trace-none", "no trace: the judge recorded no calls of this file",
     "没有调用记录：评判时没有记下这个文件的调用"),
    ("printed", "it printed", "程序打印了"),
    ("printed-folded", "printed {count} lines; `--output` shows them",
     "程序打印了 {count} 行，加 `--output` 可以看到"),
    ("next-why", "why", "原因"),
    ("next-again", "again", "再试"),
    ("next-next", "next", "接着"),
    ("next-hint", "hint", "提示"),
    ("judging", "judging {file}", "正在评判 {file}"),
    ("judging-many", "judging {file} ({place} of {count})", "正在评判 {file}（{place}/{count}）"),
    ("summary", "{count} files: {passed} pass, {failed} fail, {errors} error",
     "共 {count} 个文件：通过 {passed}，未通过 {failed}，无法评判 {errors}"),
)  # fmt: skip
