#!/usr/bin/env python3
"""nested.py FILE...: the places in C where one ?: stands in an operand of another."""
import re
import sys

COMMENT_OR_LITERAL = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?!define)(?:[^\n]*\\\n)*[^\n]*""", re.S | re.M)
TOKEN = re.compile(r"\b(?:if|while|for|switch) *\(|[?,;\n()\[\]{}]")


def nested(text):
    """The lines on which an expression with such a ?: begins. An expression ends at a comma, a semicolon or its bracket."""
    text = COMMENT_OR_LITERAL.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    outer, line = [], 1
    own = inner = first = 0         # the ?: of this expression itself, and in brackets in it; the line of the first

    def end():
        nonlocal own, inner, first
        if own > 1 or own and inner:
            yield first
        own = inner = first = 0

    for token in TOKEN.findall(text):
        if token == "\n":
            line += 1
        elif token == "?":
            own, first = own + 1, first or line
        elif token[-1] in "([{":
            outer.append((own, inner, first, len(token) > 1))
            own = inner = first = 0
        elif token in ",;":
            yield from end()
        elif outer:
            held, line_of_held = own + inner, first
            yield from end()
            own, inner, first, head = outer.pop()
            if head:    # of a statement, whose own ?: are not in those of the head
                own = inner = first = 0
            else:
                inner, first = inner + held, first or line_of_held


found = [f"{name}:{line}: a ?: in an operand of another" for name in sys.argv[1:] for line in nested(open(name).read())]
print("\n".join(found), end="\n" if found else "")
sys.exit(bool(found))
