"""An FMU as the only subsystem of a run."""

import counterpoint as cp


def alone(model, until=1.0, step=None, **options):
    system = cp.System("alone")
    system.add("fmu", model, step=step)
    return system.run(until=until, **options)
