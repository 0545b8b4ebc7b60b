from pressync.app.arguments import Credentials
from pressync.app.shared_content import SharedContent
from pressync.app.site import SyncedSite as Site
from pressync.app.site import open_site
from pressync.model.changes import Change, Outcome, Plan, Result
from pressync.model.errors import PressyncError, Problem
from pressync.model.outcomes import Standing as Record

__all__ = [
    "Change",
    "Credentials",
    "Outcome",
    "Plan",
    "PressyncError",
    "Problem",
    "Record",
    "Result",
    "SharedContent",
    "Site",
    "open_site",
]

__version__: str
