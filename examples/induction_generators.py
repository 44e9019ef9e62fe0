"""Three models of an induction generator at the same speed: a line over slip, the circuit, and the flux linkages."""

from counterpoint.diagram.library import (
    InductionMachine,
    dynamic_induction_generator,
    induction_generator,
    thevenin_generator,
)

speed = 1.01 * InductionMachine().synchronous_speed
for model, until in ((induction_generator(), 0.01), (thevenin_generator(), 0.01), (dynamic_induction_generator(), 2.0)):
    model.defaults["speed"][:] = speed
    result = model.run(until=until, step=1e-3)
    torque, power = (float(result[f"generator.{port}"].values[-1].item()) for port in ("torque", "power"))
    print(f"{torque:7.1f} N m, {power / 1e3:6.1f} kW")
