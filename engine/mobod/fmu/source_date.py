"""SOURCE_DATE_EPOCH: the date of files whose bytes depend on their content alone. Without it they have none."""

# Decision: docs/decisions/086-same-bytes.md

import os
from datetime import UTC, datetime

from mobod.errors import InputError


def source_date() -> datetime | None:
    """The date of SOURCE_DATE_EPOCH, in Greenwich mean time; None if it is not set. Raises InputError if it is no time."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return None
    try:
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(f"SOURCE_DATE_EPOCH is '{epoch}': it must be a number of seconds since 1970.") from error


def generated() -> dict[str, str]:
    """The attribute generationDateAndTime of FMI and SSP; empty without a date."""
    date = source_date()
    return {} if date is None else {"generationDateAndTime": date.strftime("%Y-%m-%dT%H:%M:%SZ")}
