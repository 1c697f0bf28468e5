"""The postmortem: what a run was spent on and when its cause could have been known. A pure fold over recorded events."""
