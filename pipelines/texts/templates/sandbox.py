"""The part of Jinja that an agent's owner may use, limited in time and size.

Jinja's own sandbox keeps templates away from Python's internals, but does not stop them from
running forever or filling the memory. So each text is parsed first, everything that is not on the
lists below is refused, and every remaining expression takes its size from a budget when it is
evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice
from typing import Any, cast

from jinja2 import ChainableUndefined, Template, TemplateSyntaxError, nodes, pass_context
from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from pipelines.texts.templates.budget import (
    MAX_DEPTH,
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
    TemplateBudget,
    TemplateFault,
)
from pipelines.texts.templates.filters import FILTERS, as_text
from pipelines.texts.variables import ABSENT, item

TESTS = (
    *("defined", "undefined", "none", "true", "false", "string", "number", "boolean"),
    *("mapping", "sequence", "odd", "even", "in", "eq", "ne", "lt", "le", "gt", "ge"),
)
_ALLOWED_NODES = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Tuple),
    *(nodes.Name, nodes.Const, nodes.List, nodes.Getattr, nodes.Getitem, nodes.Keyword),
    *(nodes.Filter, nodes.Test, nodes.Compare, nodes.Operand, nodes.And, nodes.Or),
    *(nodes.Not, nodes.CondExpr, nodes.Concat),
)
_LOOP_FACTS = frozenset({"index", "index0", "revindex", "revindex0", "first", "last", "length"})
_OPENING = re.compile(r"\{[{%#]")
_CLOSING = {"{{": "}}", "{%": "%}"}
_BUDGET = "\0budget"
_ALL = "_all_variables"
_NOTHING = "\0"
"""Marks expressions without a value in the output, until the spaces before them are removed."""
_NOTHING_AND_BLANKS = re.compile(r"(?<![ \t])[ \t]*\0")
_MAX_ITEMS = 1_000
_ARITHMETIC = "arithmetic (or a filter on a name with a dash)"


class _Environment(ImmutableSandboxedEnvironment):
    """Looks up entries of objects and arrays, but no attributes."""

    def __init__(self) -> None:
        super().__init__(
            autoescape=False,
            undefined=ChainableUndefined,
            keep_trailing_newline=True,
            trim_blocks=True,
            lstrip_blocks=True,
            cache_size=0,
        )
        tests = {name: self.tests[name] for name in TESTS}
        self.tests.clear()
        self.tests.update(tests)
        self.filters.clear()
        self.filters.update(FILTERS)
        self.filters.update(metered=_metered, spoken=_spoken, items_of=_items_of)
        self.globals.clear()

    def getattr(self, obj: Any, attribute: str) -> Any:
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, LoopContext):
            found = getattr(obj, argument) if argument in _LOOP_FACTS else ABSENT
        else:
            found = item(obj, argument)
        return self.undefined(obj=obj, name=argument) if found is ABSENT else found


def render(template: str, variables: Mapping[str, object], budget: TemplateBudget) -> str:
    """
    Raises:
        TemplateFault: the text is broken, or exceeds what is left of ``budget``.
    """
    text = template.replace(_NOTHING, "")
    budget.take_tags(len(_OPENING.findall(text)))
    context = {**variables, _BUDGET: budget, _ALL: variables}
    return _NOTHING_AND_BLANKS.sub("", "".join(_pieces(_compiled(text), context, budget)))


def _pieces(
    compiled: Template, context: Mapping[str, object], budget: TemplateBudget
) -> Iterator[str]:
    try:
        for piece in compiled.generate(context):
            budget.take_characters(len(piece))
            yield piece
    except TemplateFault:
        raise
    except (TemplateRuntimeError, TypeError, ValueError, ArithmeticError) as error:
        raise TemplateFault(f"cannot be filled in with these variables: {error}") from error


@lru_cache(maxsize=128)
def _compiled(template: str) -> Template:
    return _environment().from_string(_Guard().visit(parsed(template)))


def parsed(template: str) -> nodes.Template:
    """The syntax tree of a text.

    Raises:
        TemplateFault: the text is broken, or uses something that is not allowed.
    """
    _check_size(template)
    try:
        tree = _environment().parse(template)
    except TemplateSyntaxError as error:
        raise TemplateFault(f"is not valid: {error.message}", error.lineno) from error
    except (RecursionError, ValueError) as error:
        raise TemplateFault("is nested too deeply, or has too long a number") from error
    _check(tree, 0)
    return tree


def _check_size(template: str) -> None:
    """Check the size before Jinja parses the text, which takes time for each tag and word."""
    openings = [match.start() for match in islice(_OPENING.finditer(template), MAX_TAGS + 1)]
    if len(openings) > MAX_TAGS:
        raise TemplateFault(f"has more than {MAX_TAGS} tags")
    for start in openings:
        closing = _CLOSING.get(template[start : start + 2])
        if closing and template.find(closing, start) - start > MAX_TAG_CHARACTERS:
            line = template.count("\n", 0, start) + 1
            raise TemplateFault(f"has a tag of more than {MAX_TAG_CHARACTERS} characters", line)


@cache
def _environment() -> _Environment:
    return _Environment()


def _check(node: nodes.Node, depth: int) -> None:
    """Refuse everything that is not on the lists, before it is compiled."""
    line = _line_of(node)
    if depth > MAX_DEPTH:
        raise TemplateFault(f"is nested deeper than {MAX_DEPTH} levels", line)
    if dashed_name(node) is not None:
        return
    if not isinstance(node, _ALLOWED_NODES):
        raise TemplateFault(f"uses {_called(node)}, which is not allowed here", line)
    if isinstance(node, nodes.Filter) and node.name not in FILTERS:
        known = ", ".join(sorted(FILTERS))
        raise TemplateFault(f"uses the unknown filter {node.name!r}; choose one of {known}", line)
    if isinstance(node, nodes.Test) and node.name not in TESTS:
        known = ", ".join(sorted(TESTS))
        raise TemplateFault(f"uses the unknown test {node.name!r}; choose one of {known}", line)
    if isinstance(node, nodes.For) and node.recursive:
        raise TemplateFault("uses a recursive loop, which is not allowed here", line)
    for child in node.iter_child_nodes():
        _check(child, depth + 1)


def _line_of(node: nodes.Node) -> int:
    """Jinja gives no line to the node around an ``autoescape``, but to the one in it."""
    lines = (each.lineno for each in (node, *node.iter_child_nodes()))
    return next((line for line in lines if line), 1)


def _called(node: nodes.Node) -> str:
    names = {nodes.Call: "a function call", nodes.Assign: "'set'", nodes.Include: "'include'"}
    names |= {nodes.Scope: "'autoescape'", nodes.ScopedEvalContextModifier: "'autoescape'"}
    arithmetic = isinstance(node, nodes.BinExpr | nodes.UnaryExpr)
    return names.get(type(node), _ARITHMETIC if arithmetic else repr(type(node).__name__.lower()))


def dashed_name(node: nodes.Node) -> str | None:
    """Jinja reads ``{{ first-name }}`` as a subtraction. Texts have none, so it is a name."""
    if not isinstance(node, nodes.Sub):
        return None
    parts = [dotted_name(side) or dashed_name(side) for side in (node.left, node.right)]
    return "-".join(part for part in parts if part) if all(parts) else None


def dotted_name(node: nodes.Node) -> str | None:
    """The name, such as ``customer.name``, of the nodes that look it up."""
    if isinstance(node, nodes.Name):
        return str(node.name)
    if isinstance(node, nodes.Getattr):
        holder, part = dotted_name(node.node), node.attr
    elif isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        holder, part = dotted_name(node.node), node.arg.value
    else:
        return None
    return f"{holder}.{part}" if holder else None


class _Guard(NodeTransformer):
    """Adds the budget to a checked tree."""

    def visit_Output(self, node: nodes.Output) -> nodes.Node:
        children = [
            child
            if isinstance(child, nodes.TemplateData)
            else _wrapped("spoken", self.visit(child), _size(child))
            for child in node.nodes
        ]
        return nodes.Output(children, lineno=node.lineno)

    def visit_If(self, node: nodes.If) -> nodes.Node:
        cost = _size(node.test)
        self.generic_visit(node)
        node.test = _wrapped("metered", cast(nodes.Expr, node.test), cost)
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:
        cost = _size(node.iter) + (_size(node.test) if node.test else 0)
        self.generic_visit(node)
        node.iter = _wrapped("items_of", cast(nodes.Expr, node.iter), cost)
        return node

    def visit_Sub(self, node: nodes.Sub) -> nodes.Node:
        everything = nodes.Name(_ALL, "load", lineno=node.lineno)
        name = nodes.Const(dashed_name(node), lineno=node.lineno)
        return nodes.Getitem(everything, name, "load", lineno=node.lineno)


def _size(node: nodes.Node) -> int:
    return 1 + sum(_size(child) for child in node.iter_child_nodes())


def _wrapped(name: str, node: nodes.Expr, cost: int) -> nodes.Expr:
    price = nodes.Const(cost, lineno=node.lineno)
    return nodes.Filter(node, name, [price], [], None, None, lineno=node.lineno)


@pass_context
def _metered(context: Context, value: Any, cost: int) -> Any:
    context[_BUDGET].take_steps(cost)
    return value


@pass_context
def _spoken(context: Context, value: Any, cost: int) -> str:
    context[_BUDGET].take_steps(cost)
    return as_text(value).replace(_NOTHING, "") or _NOTHING


@pass_context
def _items_of(context: Context, value: Any, cost: int) -> list[Any]:
    is_iterable = isinstance(value, str | list | tuple | Mapping)
    items = list(islice(value, _MAX_ITEMS)) if is_iterable else []
    context[_BUDGET].take_steps(cost * (len(items) + 1))
    return items
