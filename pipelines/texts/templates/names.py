"""The variables that a text needs."""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import nodes

from pipelines.texts.templates.sandbox import dashed_name, dotted_name

_Names = frozenset[str]
_HAS_OTHER_WORDS = frozenset({"default", "d"})
_ASKS_WHETHER_IT_IS_THERE = frozenset({"defined", "undefined", "none"})


def needed_names(tree: nodes.Template) -> tuple[str, ...]:
    """Names in the order of the text. Variables that may be missing are left out: those with a
    ``default``, those before an ``or``, and those that an ``if`` asks for."""
    return tuple(dict.fromkeys(_needed(tree, frozenset({"loop"}), frozenset())))


def used_names(tree: nodes.Template) -> frozenset[str]:
    """Every name that the text looks up, whether it could do without or not."""
    dashed = (dashed_name(node) for node in tree.find_all(nodes.Sub))
    dotted = (node.name for node in tree.find_all(nodes.Name))
    return frozenset(name for name in (*dashed, *dotted) if name)


def _needed(node: nodes.Node, bound: _Names, spared: _Names) -> Iterator[str]:
    name = dashed_name(node) or dotted_name(node)
    if name is not None:
        if name.split(".")[0] not in bound and name not in spared:
            yield name
        return
    match node:
        case nodes.If():
            yield from _needed_in_branches(node, bound, spared)
        case nodes.CondExpr() | nodes.And():
            first = node.test if isinstance(node, nodes.CondExpr) else node.left
            spared |= _names(first)
            yield from _needed_below(node, bound, spared)
        case nodes.Or():
            yield from _needed(node.left, bound, spared | _names(node.left))
            yield from _needed(node.right, bound, spared)
        case nodes.Filter() if node.name in _HAS_OTHER_WORDS and node.node is not None:
            yield from _needed_below(node, bound, spared | _names(node.node))
        case nodes.Test() if node.name in _ASKS_WHETHER_IT_IS_THERE:
            return
        case nodes.For():
            targets = frozenset(name.name for name in node.target.find_all(nodes.Name))
            if isinstance(node.target, nodes.Name):
                targets |= {node.target.name}
            yield from _needed(node.iter, bound, spared)
            for child in (*([node.test] if node.test else []), *node.body, *node.else_):
                yield from _needed(child, bound | targets, spared)
        case _:
            yield from _needed_below(node, bound, spared)


def _needed_below(node: nodes.Node, bound: _Names, spared: _Names) -> Iterator[str]:
    for child in node.iter_child_nodes():
        yield from _needed(child, bound, spared)


def _needed_in_branches(node: nodes.If, bound: _Names, spared: _Names) -> Iterator[str]:
    spared |= _names(node.test)
    for child in (*node.body, *node.elif_, *node.else_):
        yield from _needed(child, bound, spared)


def _names(node: nodes.Node) -> _Names:
    name = dashed_name(node) or dotted_name(node)
    if name is not None:
        return frozenset({name})
    return frozenset(name for child in node.iter_child_nodes() for name in _names(child))
