"""Warnings of mobod as lines of their own on the error stream, without the place in its code."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import click

from mobod.errors import MobodWarning


@contextmanager
def shown_warnings(*, as_json: bool = False) -> Iterator[list[str]]:
    """Context that shows each different MobodWarning at its end, also after an error. Gives the list of their texts.

    as_json  whether the texts are only collected
    """
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MobodWarning)
        try:
            yield texts
        finally:
            mine = [each for each in caught if isinstance(each.message, MobodWarning)]
            others = [each for each in caught if each not in mine]
            texts += dict.fromkeys(str(each.message) for each in mine)
            if not as_json:
                show_warnings(texts)
    for each in others:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def show_warnings(texts: list[str]) -> None:
    for text in texts:
        click.echo(f"Warning: {text}", err=True)
