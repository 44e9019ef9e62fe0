"""Control a run from Python: read values between steps and open a valve when the tank is half full."""

import counterpoint as cp


def tank(t, level, flow):  # inflow, outflow and level; 2 m² of surface
    return (flow[0] - flow[1]) / 2.0


def pipe(t, flow, level):  # the water column in the outlet has inertia
    return (9.81 * level[0] * level[1] - 3.0 * flow) / 0.5


system = cp.System("tank")
system.add("tank", cp.ode(tank, [0.0], inputs=["inflow", "outflow"], outputs="level"), step=0.1)
system.add("pipe", cp.ode(pipe, [0.0], inputs=["level", "valve"], outputs="flow"), step=0.02)
system.connect("tank.level", "pipe.level")
system.connect("pipe.flow", "tank.outflow")
system.set("tank.inflow", 0.4)
system.set("pipe.valve", 0.0)

with system.start(until=20.0) as run:
    for second in range(1, 21):
        run.step_to(second)
        if run.value("tank.level") > 0.5:
            run.set("pipe.valve", 0.3)
    result = run.finish()
print(f"level after {result.end:g} s: {result['tank.level'].values[-1]:.3f} m")
