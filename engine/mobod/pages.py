"""ShownInNotebooks: base of what notebooks show as a page."""


class ShownInNotebooks:
    """Base class of Results, States and Systems, which notebooks show as a page."""

    def _repr_html_(self) -> str | None:
        """HTML for a notebook; None if there is nothing to be seen: it shows the repr then."""
        from mobod.viewer.notebook import notebook_html  # late: see pyproject.toml

        return notebook_html(self)
