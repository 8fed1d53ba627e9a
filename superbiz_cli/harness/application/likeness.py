"""How alike a question and a skill are by the vectors of an embedding model, comparable across models.

A cosine means something else in every model: some give any two texts 0.8. So each skill is compared with a
cohort of questions that are about no incident, too, and the likeness of a question is the number of standard
deviations by which it exceeds that (Z-norm, Reynolds 1997, known from speaker verification).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from superbiz_cli.harness.contract.skill import Skill

MAX_PASSAGE_CHARS = 1_500  # what a small model reads at once
COHORT = (
    "the invoice shows a wrong total",
    "a customer asks where the parcel is",
    "the colour of the button is wrong",
    "login is not possible for one person",
    "the search returns too many results",
    "please change the text of the welcome mail",
    "what is planned for the next quarter",
    "the map does not show my city",
    "numbers in the monthly report differ from last month",
    "the picture of the product is missing",
    "how long is the warranty of this device",
    "who can give me access to the folder",
    "发票上的抬头不对",
    "客户问包裹到哪里了",
    "页面的按钮颜色不对",
    "一个用户不能登录",
    "搜索结果太多",
    "请修改欢迎邮件的文字",
    "下个季度有什么计划",
    "地图上没有我的城市",
    "本月报表的数字和上月不一样",
    "商品没有图片",
    "保修期是多久",
    "谁能给我文件夹的权限",
)


def passage_of(skill: Skill) -> str:
    """Return the text that stands for a skill: its name, its description, its triggers."""
    named = skill.name.replace("-", " ")
    return f"{named}. {skill.description} {', '.join(skill.triggers)}"[:MAX_PASSAGE_CHARS]


def likeness(
    question: Sequence[float],
    skills: Mapping[str, Sequence[float]],
    cohort: Sequence[Sequence[float]],
) -> dict[str, float]:
    """Return the likeness of a question to each skill, in standard deviations.

    All vectors have length 1. Empty when the cohort does not differ, which no real model brings about.
    Raises ValueError for vectors of different dimensions.
    """
    usual = {name: [_cosine(other, vector) for other in cohort] for name, vector in skills.items()}
    means = {name: math.fsum(values) / len(values) for name, values in usual.items() if values}
    squares = [(value - means[name]) ** 2 for name, values in usual.items() for value in values]
    deviation = math.sqrt(math.fsum(squares) / len(squares)) if squares else 0.0
    if not deviation or not math.isfinite(deviation):
        return {}
    return {name: (_cosine(question, skills[name]) - mean) / deviation for name, mean in means.items()}


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))
