"""From a system to a run.

========================  =============================================================================
:mod:`.checks`            everything that can be wrong before a run; windows in :mod:`.window_checks`
:mod:`.connection_units`  units of connections
:mod:`.feedthrough`       loops of direct feedthrough
:mod:`.precedence`        schemes: which subsystem waits for which
:mod:`.plan`              what the core is told
:mod:`.run`               the run itself; :mod:`.embedded` when a host is the master (:mod:`.host_ports`)
:mod:`.recording`         from the core to the results
:mod:`.failures`          what a failed step means for the user
:mod:`.progress`          how far a run is
:mod:`.interrupts`        Ctrl-C and other signals
:mod:`.process_state`     what foreign code must not change
========================  =============================================================================
"""
