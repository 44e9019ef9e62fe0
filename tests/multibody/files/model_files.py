"""Model files that several tests use, and the first of them by hand."""

from counterpoint.multibody import Mechanism

PENDULUM = """\
[mechanism]
name = "pendulum"
dimension = 2
units = "SI"
step = 1e-3

[points]
A = { at = [0, 0], fixed = true }
B = { at = [1, 0] }

[bodies.rod]
points = ["A", "B"]
mass = 2.0

[measures.phi]
kind = "angle"
bodies = ["rod"]
"""

EVERYTHING = """\
[mechanism]
dimension = 3
units = { length = "mm", mass = "kg", force = "N", angle = "deg" }
gravity = [0, 0, -9.81, "m/s^2"]
step = "1 ms"
standard_outputs = ["q", "energy"]
notes = ["a test"]

[points]
A = { at = [0, 0, 0], fixed = true }
B = { at = [1000, 0, 0] }
C = { at = [1000, 500, 0] }
D = { at = [2000, 0, 0], velocity = [0, 1, 0] }
E = { at = [0, 0, 500], fixed = true }

[vectors]
u = { along = [0, 1, 0], fixed = true }

[bodies.arm]
points = ["A", "B", "C"]
vectors = ["u"]
mass = 2
centre = [500, 100, 0]
inertia = [1, 2, 2.5, "kg m^2"]
shape = { kind = "box", size = [1000, 500, 10], colour = "teal", group = "arms", turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] }

[bodies.rod]
points = ["B", "D"]
mass = "500 g"
local = { B = [0, 0, 0], D = [1, 0, 0, "m"] }

[bodies.plate]
points = ["D", "P"]
mass = 1
inertia = [[2e6, 0, 0], [0, 2e6, 0], [0, 0, 3e6]]

[points.P]
at = [2000, 300, 0]

[point_masses]
D = 0.25

[joints.hinge]
kind = "universal"
bodies = ["arm", "plate"]
at = "D"
axis = [1, 0, 0]
second_axis = [0, 1, 0]

[links]
bar = { kind = "distance", points = ["E", "P"], length = "2.2 m" }

[measures]
swing = { kind = "angle", bodies = ["ground", "arm"], axis = [0, 1, 0] }
twist = { kind = "rotation", bodies = ["arm", "plate"], axis = [1, 0, 0] }
reach = { kind = "distance", points = ["E", "D"] }
height = { kind = "displacement", point = "B", along = [0, 0, 1], origin = "A" }

[relations]
tie = { kind = "linear", factors = { swing = 2, height = 0.5 }, constant = 3 }
rack = { kind = "rack", angle = "swing", displacement = "height", radius = 20 }
gear = { kind = "gear", first = "swing", second = "twist", ratio = -2 }

[springs]
s1 = { between = ["E", "D"], stiffness = 20, damping = "3 N s/m", natural = "1 m" }
s2 = { measure = "twist", curve = { points = [[-10, -1], [10, 1]], units = ["deg", "N m"] } }

[actuators]
a1 = { measure = "swing", force = "input:torque" }
a2 = { between = ["E", "B"], force = { sine = { amplitude = "2 kN", frequency = 3, phase = 90 } } }

[frictions]
f1 = { measure = "height", sliding = 3, breakaway = "4 N", rate = 2, stribeck = "1 cm/s" }

[forces]
wind = { point = "P", components = [1, [0, 2], "input:gust"], body = "arm" }

[torques]
t1 = { body = "plate", components = ["1 N m", 0, "input:twist_torque"], turning = true }

[rotational_springs]
r1 = { bodies = ["arm", "plate"], stiffness = [1, 2, 3, "N m/deg"], damping = "2 N m s/rad" }

[contacts]
c1 = { point = "D", plane = [0, 0, -500], normal = [0, 0, 1], stiffness = 1000, exponent = 2, friction = 0.3, radius = 10 }

[tyres]
w1 = { body = "plate", centre = "D", axis = [0, 1, 0], road = [0, 0, -2, "m"], radius = 300, stiffness = 200, lateral = { B = 9, mu = 1.1 } }

[aerodynamic_strips]
b1 = { body = "plate", point = "P", chord = [1, 0, 0], normal = [0, 0, 1], span = 500, chord_length = "20 cm", polar = [[-10, -1, 0.02], [10, 1, 0.02]], wind = [{ step = { start = 1, end = 2, before = "1 m/s", after = "36 km/h" } }, 0, "input:gust"] }

[inputs]
gust = "1 kN"
spare = 2

[outputs]
swing = "swing"
tip = { of = "D", motion = "acceleration" }
ground = "support:A"
bar = "bar"
spring = "s1"

[initial]
swing = { rate = "3 rpm" }
height = 0

[start_position]
B = [1, 0.1, 0, "m"]
u = [0, 1, 0]
"plate~1" = [0, 1, 0]

[formulation]
name = "index-3"
integrator = "generalised-alpha"
spectral_radius = 0.7
penalty = 1e8
"""


def by_hand():
    m = Mechanism("pendulum", dimension=2)
    m.point("A", (0, 0), fixed=True)
    m.point("B", (1, 0))
    m.body("rod", points=["A", "B"], mass=2.0)
    m.angle("phi", "rod")
    m.step = 1e-3
    return m


def positions(mechanism, until=0.5, step=1e-3):
    return mechanism.run(until=until, step=step)[f"{mechanism.name}.q"].values
