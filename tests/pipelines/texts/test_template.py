"""Filling in variables: no text of an owner's may fail a call or stall a process."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.texts.templates.budget import TemplateBudget
from pipelines.texts.templates.template import fill_template, filled, names_in, template_fault
from pipelines.texts.variables import MAX_TEXT_CHARACTERS, prepared

VARIABLES: dict[str, Any] = {
    "name": "Ann",
    "vip": True,
    "customer": {"name": "Bo", "items": ["tea", "milk"], "orders": [{"no": 7}]},
    "first-name": "Cy",
    "plan.tier": "gold",
    "template": "{{ name }}",
    "markup": "<b>&'",
    "nothing": None,
    "empty": "",
    "number": 4.0,
    "list": list(range(1000)),
    "long": "y" * MAX_TEXT_CHARACTERS,
}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("no tags { at } all", "no tags { at } all"),
        ("Hi {{ name }}, this is {{customer.name}}.", "Hi Ann, this is Bo."),
        ("Hi {{ first-name }} on {{ plan.tier }}", "Hi Cy on gold"),
        ("Hi {{ unknown }}, {{ nothing }} {{ empty }} hello.", "Hi, hello."),
        ("{{ template }}", "{{ name }}"),
        ("{{ template|default('x') }}", "{{ name }}"),
        ("{{ markup|trim }}", "<b>&'"),
        ("Hi {{ unknown|default('there') }}!", "Hi there!"),
        ("Hi {{ unknown or 'there' }}!", "Hi there!"),
        ("Hi {{ unknown|upper }}, {{ name|upper }}", "Hi, ANN"),
        ("{% if vip %}Dear{% else %}Hi{% endif %} {{ name }}", "Dear Ann"),
        ("{% if unknown is defined %}Dear{% endif %}Hi {{ first-name }}", "Hi Cy"),
        ("{{ 'Dear' if vip else 'Hi' }} {{ plan.tier|title }}", "Dear Gold"),
        ("{% for i in customer.items %}{{ loop.index }} {{ i }}; {% endfor %}", "1 tea; 2 milk; "),
        ("{{ customer.items|join(' and ') }}", "tea and milk"),
        ("No. {{ customer.orders[0].no }}, {{ customer['name'] }}", "No. 7, Bo"),
        ("{{ unknown.deeper.still|default('x') }}", "x"),
        ("{% for i in number %}x{% endfor %}{{ number|round }}", "4"),
        ('{% raw %}{"a": {{ b }}}{% endraw %}', '{"a": {{ b }}}'),
        ("a{# said by nobody #}b", "ab"),
        ("one\n{% if vip %}\ntwo\n{% endif %}\nthree\n", "one\ntwo\nthree\n"),
    ],
)
def test_what_is_filled_in(template: str, expected: str) -> None:
    assert fill_template(template, VARIABLES) == expected
    assert template_fault(template, TemplateBudget()) is None


@pytest.mark.parametrize(
    "attribute",
    ["name.__class__", "name.upper", "customer.keys", "name['__class__']", "loop.__init__"],
)
def test_attributes_of_python_objects_do_not_exist(attribute: str) -> None:
    text = f"{{% for loops in [1] %}}[{{{{ {attribute}|default('nothing') }}}}]{{% endfor %}}"
    assert fill_template(text, VARIABLES) == "[nothing]"


@pytest.mark.parametrize(
    ("template", "line", "said"),
    [
        ("{{ broken", 1, "end of template"),
        ("fine\n\n{% if name %}never closed", 3, "endif"),
        ("one\n{{ 'a' * 10 }}", 2, "arithmetic"),
        ("{{ 10 ** 10 }}", 1, "arithmetic"),
        ("{{ -name|upper }}", 1, "arithmetic"),
        ("{{ range(10) }}", 1, "function call"),
        ("{{ name.upper() }}", 1, "function call"),
        ("{% set a = 1 %}", 1, "'set'"),
        ("{% include 'secrets' %}", 1, "'include'"),
        ("{% import 'os' as os %}", 1, "import"),
        ("{% macro m() %}{% endmacro %}", 1, "macro"),
        ("\n{% autoescape true %}a{% endautoescape %}", 2, "'autoescape'"),
        ("{% autoescape name %}{% endautoescape %}", 1, "'autoescape'"),
        ("{{ name|attr('upper') }}", 1, "attr"),
        ("{% for a in b recursive %}{% endfor %}", 1, "recursive"),
        ("{{ name is callable }}", 1, "callable"),
        ("{{ " + "(" * 150 + "1" + ")" * 150 + " }}", 1, "deep"),
        ("{% if a %}" * 20 + "{% endif %}" * 20, 1, "deep"),
        ("\n{{ '" + "x" * 600 + "' }}", 2, "500 characters"),
        ('{{"json": 1}}', 1, "end of print statement"),
    ],
)
def test_a_fault_names_its_line_and_the_text_is_kept(template: str, line: int, said: str) -> None:
    fault = template_fault(template, TemplateBudget())
    assert fault is not None
    assert fault.line == line
    assert said in fault.message
    assert fill_template(template, VARIABLES) == template


def test_a_broken_text_still_gets_its_plain_placeholders() -> None:
    assert fill_template("Hi {{ name }}, {% if %}", VARIABLES) == "Hi Ann, {% if %}"


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in list %}{% for b in list %}{% for c in list %}{% endfor %}{% endfor %}"
        "{% endfor %}",
        "{% for a in list %}{{ long }}{% endfor %}",
        "{{ long ~ long ~ long ~ long }}" * 200,
        "{% for a in list %}{% if " + " == ".join(["long"] * 60) + " %}{% endif %}{% endfor %}",
        "{{ long }}" * 9_000,
        "{{ long|replace('y', long)|replace('y', long)|replace('y', long) }}" * 100,
        "{{ list|join(long)|length }}" * 200,
        "{{ number|round(1000000000) }}" * 200,
        "{{ 'x'|default }}" * 10_000,
        "{% for a in long %}" * 5 + "{% endfor %}" * 5,
        "{{" + " " * 90_000,
        " " * 90_000 + "{{ name }",
        "{{ " * 30_000,
        "{#" * 40_000,
        "{% if a %}" * 10_000,
    ],
)
def test_no_text_stalls_the_process(template: str) -> None:
    template_fault("{{ 'Jinja is imported'|trim }}", TemplateBudget())
    started = time.process_time()
    for _ in range(2):
        assert len(fill_template(template, VARIABLES)) <= 500_000 + len(template)
    assert time.process_time() - started < 1.0


def test_texts_filled_in_together_share_one_budget() -> None:
    budget, variables = TemplateBudget(), prepared(VARIABLES)
    faults = [filled("{{ long }}", variables, budget)[1] for _ in range(60)]
    assert faults[:50] == [None] * 50
    assert all(faults[50:])


@pytest.mark.parametrize(
    ("template", "names"),
    [
        ("{{ b }} {{ a.b }} {{ b }}", ("b", "a.b")),
        ("{{ first-name }}{{ a|upper }}", ("first-name", "a")),
        ("{{ a|default('x') }} {{ b or 'x' }} {{ c }}", ("c",)),
        ("{% if a %}{{ a }} {{ b }}{% endif %}", ("b",)),
        ("{% if a is defined %}{{ b if c else d }}{% endif %}", ("b", "d")),
        ("{% for x in orders %}{{ x.no }} {{ loop.index }} {{ y }}{% endfor %}", ("orders", "y")),
        ("{% for k, v in orders if v %}{{ v }}{{ x }}{% endfor %}", ("orders", "x")),
        ("{% raw %}{{ a }}{% endraw %}{# {{ b }} #}", ()),
        ("{{ broken {{ a }}", ("a",)),
    ],
)
def test_the_names_that_a_text_needs(template: str, names: tuple[str, ...]) -> None:
    assert names_in(template, TemplateBudget()) == names


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=4), below),
    max_leaves=8,
)
_pieces = st.sampled_from(
    (
        *("{{", "}}", "{%", "%}", "{#", "#}", "a", "a.b", "first-name", "loop.index", "0", "'"),
        *("| default('x')", "| upper", "if", "else", "endif", "for", "in", "endfor", "(", ")"),
        *("is defined", "[", "]", "~", "+", "not", "and", "==", "raw", "endraw", "\n"),
    )
)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(_pieces, max_size=14).map(" ".join) | st.text(),
    st.dictionaries(st.sampled_from(["a", "a.b", "b", "first-name", "", "."]), _json),
)
def test_any_text_with_any_variables_is_filled_in(template: str, variables: dict[str, Any]) -> None:
    assert isinstance(fill_template(template, variables), str)
    assert isinstance(names_in(template, TemplateBudget()), tuple)


@given(st.text(), st.dictionaries(st.text(min_size=1), _json, max_size=4))
def test_values_are_never_templates(value: str, others: dict[str, Any]) -> None:
    variables = others | {"value": value}
    assert fill_template("<{{ value }}>", variables) == f"<{value}>"
    assert fill_template("<{{ value|default('') }}>", variables) == f"<{value}>".replace("\0", "")
