"""Reports an error as one message and an exit code."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import click

from mobod.errors import FmuFileError, InputError, MobodError, ModelFileError, SspFileError

INTERRUPTED = 130  # 128 + SIGINT, as in shells


@contextmanager
def errors_as_messages(debug: bool) -> Iterator[None]:
    """Exit with 2 for invalid input on the command line, with 1 for work that failed, and with 130 for Ctrl-C.

    debug  also show the traceback
    """
    try:
        yield
    except BrokenPipeError:  # what read the output has ended, such as head: click ends without a message
        raise
    except (MobodError, OSError) as error:
        if debug:
            traceback.print_exc()
        else:
            click.echo(f"Error: {error}", err=True)
        # invalid content of a file is found at work: exit code 1
        sys.exit(2 if isinstance(error, InputError) and not isinstance(error, (FmuFileError, ModelFileError, SspFileError)) else 1)
    except KeyboardInterrupt:
        if debug:
            traceback.print_exc()
        click.echo("Interrupted.", err=True)
        sys.exit(INTERRUPTED)
