"""Models that the tests of the export write as FMUs."""

import math

import counterpoint as cp
from counterpoint.diagram import library
from counterpoint.multibody import Mechanism
from counterpoint.multibody import library as mechanisms


def motor():
    """A DC motor with a limited PI controller; the load is an input."""
    machine = cp.Diagram("machine")
    voltage, load = machine.input("voltage", unit="V"), machine.input("load", 0.0, unit="N m")
    current, speed = machine.integrator(name="current"), machine.integrator(name="speed")
    ((voltage - 0.5 * current - 0.06 * speed) / 5e-3) >> current
    ((0.06 * current - load - 1e-4 * speed) / 1e-3) >> speed
    machine.output("speed", speed, unit="rad/s")
    model = cp.Diagram("motor", step=1e-3)
    load = model.input("load", 0.0, unit="N m")
    wanted = model.step(0.1, after=150.0, name="wanted")
    inner = model.superblock(machine, load=load, name="machine")
    controller = model.pid(
        wanted - inner["speed"],
        proportional=0.1,
        integral=0.5,
        limits=(-24.0, 24.0),
        anti_windup="clamping",
        name="controller",
    )
    controller >> inner
    model.output("speed", inner["speed"], unit="rad/s")
    model.output("voltage", controller, unit="V")
    return model


def thermostat(**settings):
    """A relay with hysteresis, whose events lie between steps."""
    model = cp.Diagram("thermostat", **({"step": 60.0} | settings))
    temperature = model.integrator(initial=17.0, name="temperature")
    heater = model.relay(20.0 - temperature, switch_on=0.5, switch_off=-0.5, output_on=1500.0, name="heater")
    outside = model.sine(2.0 * math.pi / 86400.0, amplitude=4.0, bias=2.0, name="outside")
    ((heater - 50.0 * (temperature - outside)) / 4e5) >> temperature
    model.output("temperature", temperature, unit="K")
    model.output("heater", heater, unit="W")
    return model


def engine():
    """The engine of the library with its speed controller, triggered by the valves."""
    return library.controlled_engine(step=5e-3)


def four_bar():
    """A four-bar linkage with a spring, a damper and a torque from outside; it shows one of everything."""
    made = Mechanism("four-bar", dimension=2)
    made.point("A", (0, 0), fixed=True)
    made.point("B", (0, 1), velocity=(1, 0))
    made.point("C", (1, 1.2))
    made.point("D", (1, 0), fixed=True)
    made.body("crank", points=["A", "B"], mass=1.0)
    made.body("coupler", points=["B", "C"], mass=1.0)
    made.body("rocker", points=["C", "D"], mass=1.2)
    made.angle("crank_angle", "crank")
    made.distance("diagonal", "A", "C")
    made.spring("brace", "diagonal", stiffness=20.0, damping=0.5)
    made.actuator("motor", "crank_angle", force="input:torque")
    made.output("angle", "crank_angle")
    made.output("C", "C")
    made.output("bearing", "support:A")
    made.output("brace_force", "brace")
    made.step = 1e-3
    return made


def two_mass(slow_step=0.1):
    """Two masses on three springs, a fast one and a slow one, each with its own solver and step; both may be pushed."""
    system = cp.System("two-mass")
    fast = cp.linear(
        [[0.0, 1.0], [-39.09145093675036, 0.0]],
        [[0.0, 0.0], [38.69666676070679, 1.0]],
        [[1.0, 0.0]],
        x0=[11.0, 0.0],
        inputs=["u", "push"],
        outputs=["x"],
        defaults={"push": 0.0},
    )
    slow = cp.linear(
        [[0.0, 1.0], [-0.7817508436506422, 0.0]],
        [[0.0], [0.38696666760706794]],
        [[1.0, 0.0]],
        x0=[9.99, 0.0],
        inputs=["u"],
        outputs=["x"],
        solver="trapezoidal",
    )
    system.add("fast", fast, step=0.01)
    system.add("slow", slow, step=slow_step)
    system.connect("slow.x", "fast.u", cp.lagrange(3))
    system.connect("fast.x", "slow.u", cp.lagrange(2))
    return system


def every_element():
    """An arm with a wheel at its end that rolls and slips on a road: every kind of force, guide and output there is."""
    made = Mechanism("arm", dimension=3)
    made.point("A", (0, 0, 0.5), fixed=True)
    made.point("B", (1.0, 0.0, 0.5))
    made.vector("up", (0, 1, 0), fixed=True)
    made.body("arm", points=["A", "B"], vectors=["up"], mass=2.0, centre=(0.5, 0, 0.5), inertia=(0.01, 0.2, 0.2))
    made.point("H", (1.0, 0.2, 0.5))
    made.body("wheel", points=["B", "H"], mass=1.5, centre=(1.0, 0.1, 0.5), inertia=(0.02, 0.04, 0.02))
    made.joint("axle", "revolute", "arm", "wheel", at="B", axis=(0, 1, 0))
    made.angle("swing", "ground", "arm", axis=(0, 1, 0))
    made.angle("roll", "arm", "wheel", axis=(0, 1, 0))
    made.distance("reach", "A", "H")
    made.displacement("height", "B", along=(0, 0, 1), origin="A")
    made.spring("prop", "swing", stiffness=200.0, damping=5.0, curve=[(-1.0, -30.0), (0.0, 0.0), (1.0, 40.0)])
    made.friction("rub", "swing", sliding=0.5, breakaway=0.8)
    made.actuator("drive", "roll", force={"sine": {"amplitude": 2.0, "frequency": 3.0, "phase": 0.3}})
    made.actuator("pull", between=("A", "H"), force={"table": {"times": [0, 0.1, 0.3], "values": [0, 5, -5]}})
    made.force("gust", "H", [1.0, [0.0, 2.0], "input:gust"])
    made.torque("twist", "wheel", [0.0, "input:brake", 0.1], turning=True)
    made.rotational_spring("bush", "ground", "arm", stiffness=(10.0, 20.0, 30.0), damping=0.1)
    made.contact("bump", "B", plane=(0, 0, 0.45), normal=(0, 0, 1), stiffness=2e4, exponent=1.5, friction=0.3)
    made.tyre("tyre", "wheel", centre="B", axis=(0, 1, 0), radius=0.55, stiffness=2e4, damping=50.0, lateral={"B": 9.0})
    made.aerodynamic_strip(
        "vane",
        "arm",
        point="B",
        chord=(1, 0, 0),
        normal=(0, 0, 1),
        span=0.3,
        chord_length=0.2,
        polar=[(-0.2, -1.0, 0.02), (0.2, 1.0, 0.02)],
        wind=[{"step": {"start": 0.1, "end": 0.2, "before": 1.0, "after": 10.0}}, 0.0, "input:gust"],
    )
    for name in ("swing", "roll", "reach", "tyre", "bump", "vane"):
        made.output(name, name)
    made.output("speed", "B", motion="velocity")
    made.output("jolt", "height", motion="acceleration")
    made.output("axle_force", "axle")
    made.output("ground", "support:A")
    made.step = 1e-3
    return made


def guided():
    """A crank that follows an input, and another coupled to it by a gear."""
    made = Mechanism("gears", dimension=2, gravity=(0, 0))
    for name, x in (("first", 0.0), ("second", 1.0)):
        made.point(f"{name}_O", (x, 0), fixed=True)
        made.point(f"{name}_A", (x + 0.3, 0))
        made.body(name, points=[f"{name}_O", f"{name}_A"], mass=1.0)
        made.angle(f"{name}_angle", name)
    made.guide("first_angle", "input:angle")
    made.gear("pair", "first_angle", "second_angle", ratio=-2.0)
    made.output("turned", "second_angle")
    made.output("guide_torque", "guide:first_angle")
    made.step = 1e-3
    return made


def delays():
    """Delays of both kinds, which remember a stretch of their input, and a sampled sum."""
    model = cp.Diagram("delays", step=0.01)
    u = model.input("u", 1.0)
    wave = model.sine(7.0, name="wave")
    late = model.transport_delay(wave + u, delay=0.123, interpolation="cubic", name="late")
    later = model.variable_delay(wave, 0.1 + 0.05 * wave, maximum=0.2, name="later")
    model.output("late", late)
    model.output("later", later)
    model.output("sum", model.integrator(late - later, name="sum"))
    return model


def many_together():
    """A system of a table, a diagram with events, a mechanism and a linear model of every step size there is."""
    system = cp.System("many")
    system.add("table", cp.table([0.0, 0.1, 0.35, 2.0], [0.0, 3.0, -2.0, 1.0], outputs="torque"))
    system.add("linkage", four_bar(), step=1e-3)
    filtered = cp.linear([[-5.0]], [[5.0]], x0=[0.0], inputs="u", outputs="y", solver="bdf2")
    system.add("filter", filtered, step=0.004)
    gauge = cp.Diagram("gauge", solver="ode45", rtol=1e-6)
    angle = gauge.input("angle", 0.0)
    gauge.output("sum", gauge.integrator(angle, name="sum"))
    gauge.output("sign", gauge.relay(angle, switch_on=0.1, switch_off=-0.1, name="sign"))
    system.add("gauge", gauge)
    system.connect("table.torque", "linkage.torque", cp.lagrange(1))
    system.connect("linkage.angle", "filter.u", cp.hermite())
    system.connect("filter.y", "gauge.angle", cp.transition(1))
    return system


MODELS = {
    # model, length of the run, its step, communication step (s)
    "motor": (motor, 0.5, 1e-3, 0.01),
    "thermostat": (thermostat, 6 * 3600.0, 60.0, 600.0),
    "engine": (engine, 0.5, 5e-3, 0.01),
    "four-bar": (four_bar, 1.0, 1e-3, 0.01),
    "every element": (every_element, 0.3, 1e-3, 0.01),
    "guided": (guided, 0.1, 1e-3, 0.01),
    "flyball": (mechanisms.flyball, 0.1, 1e-3, 0.01),
}
