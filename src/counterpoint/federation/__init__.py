"""One co-simulation over several processes and hosts, on HELICS.

======================  ===============================================================================
:mod:`.partition`       cut a system into parts; who waits for whom across the cut
:mod:`.running`         run one part as a federate
:mod:`.exchange`        from histories to messages and back
:mod:`.session`         calls of HELICS, watched
:mod:`.foreign`         plain values for programs that are not of Counterpoint
:mod:`.launching`       start all parts and the broker on this computer
:mod:`.plan_file`       launch plans: which subsystems run where
:mod:`.cost_model`      predicted wall time on several hosts
======================  ===============================================================================
"""

from .._common.lazy import loading

__all__ = ["Foreign", "LaunchPlan", "Publication", "Subscription", "federate", "launch", "predict"]

__getattr__, __dir__ = loading(
    __name__,
    {
        "Foreign": "foreign",
        "Publication": "foreign",
        "Subscription": "foreign",
        "federate": "running",
        "launch": "launching",
        "LaunchPlan": "plan_file",
        "predict": "cost_model",
    },
)
