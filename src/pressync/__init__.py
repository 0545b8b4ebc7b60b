"""pressync makes a site say what its Git repository says.

This file imports nothing, so that a run with nothing to do loads only what it uses. A public name is loaded
when somebody asks for it. `__init__.pyi` has the types of these names. Two of them are those of other classes
inside.
"""

__version__ = "0.1.0"

_PUBLIC = {
    "Change": "model.changes.Change",
    "Credentials": "app.arguments.Credentials",
    "Outcome": "model.changes.Outcome",
    "Plan": "model.changes.Plan",
    "PressyncError": "model.errors.PressyncError",
    "Problem": "model.errors.Problem",
    "Record": "model.outcomes.Standing",
    "Result": "model.changes.Result",
    "SharedContent": "app.shared_content.SharedContent",
    "Site": "app.site.SyncedSite",
    "open_site": "app.site.open_site",
}


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - most runs ask for no public name

    module, _, inside = _PUBLIC[name].rpartition(".")
    return getattr(import_module(f"{__name__}.{module}"), inside)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
