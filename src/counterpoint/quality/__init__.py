"""What a run says about its own quality, without a reference solution."""

from .defect import Quality, assess_defects

__all__ = ["Quality", "assess_defects"]
