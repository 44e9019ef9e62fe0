"""The four-bar of the benchmark `multibody` in MuJoCo: hinges as joints, each loop closed by a connect equality."""

import mujoco

from benchmarks.four_bar import GRAVITY, STEP

SLENDER = 1e-4
"""Inertia about the rod's own axis, which never turns: MuJoCo wants it positive."""


class FourBar:
    """Links hang on cranks; link k ends in the site ``end k``, which is tied to the site ``tip k + 1``."""

    def __init__(self, loops: int) -> None:
        cranks = "".join(_crank(k, with_link=k < loops) for k in range(loops + 1))
        ties = "".join(
            f'<connect site1="end{k}" site2="tip{k + 1}" solref="{2 * STEP} 1" solimp="0.9999 0.9999 0.001 0.5 2"/>'
            for k in range(loops)
        )
        self._model = mujoco.MjModel.from_xml_string(
            f"""<mujoco>
              <option timestep="{STEP}" gravity="0 0 {-GRAVITY}" integrator="implicitfast" solver="Newton"/>
              <size memory="2G"/>
              <worldbody>{cranks}</worldbody>
              <equality>{ties}</equality>
            </mujoco>"""
        )
        self._data = mujoco.MjData(self._model)
        # Cranks turn from z to x at 1 rad/s, links do not turn: the speeds of joints are relative.
        self._data.qvel[0::2] = 1.0
        self._data.qvel[1::2] = -1.0

    def run(self, steps: int) -> None:
        mujoco.mj_step(self._model, self._data, nstep=steps)

    def each_second(self, seconds: int) -> list[tuple[float, float]]:
        return [self._after_a_second() for _ in range(seconds)]

    def _after_a_second(self) -> tuple[float, float]:
        self.run(round(1 / STEP))
        mujoco.mj_kinematics(self._model, self._data)
        x, _, z = self._data.site("tip0").xpos
        return float(x), float(z)


def _crank(k: int, *, with_link: bool) -> str:
    across = 1 / 12
    link = f"""<body pos="0 0 1">
        <joint type="hinge" axis="0 1 0"/>
        <inertial pos="0.5 0 0" mass="1" diaginertia="{SLENDER} {across} {across}"/>
        <site name="end{k}" pos="1 0 0"/>
      </body>"""
    return f"""<body pos="{k} 0 0">
        <joint type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 0.5" mass="1" diaginertia="{across} {across} {SLENDER}"/>
        <site name="tip{k}" pos="0 0 1"/>
        {link if with_link else ""}
      </body>"""
