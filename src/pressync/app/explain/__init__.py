"""Why a record is what it is: where each value comes from, and what the next sync does with it."""
