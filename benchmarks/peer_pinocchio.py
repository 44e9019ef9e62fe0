"""The four-bar of the benchmark `multibody` in Pinocchio: forward dynamics with loops, classical Runge-Kutta rule.

Pinocchio (``lcaba``) gives accelerations and leaves the step to its user; four of them a step have the accuracy of our
step. What is timed are these calls and the few vector operations between them, from Python.
"""

import numpy as np
import pinocchio as pin

from benchmarks.four_bar import GRAVITY, STEP


class FourBar:
    """Cranks turn about z on the ground; links hang on them, their ends tied to the tip of the next crank."""

    def __init__(self, loops: int) -> None:
        self._model = pin.Model()
        self._model.gravity.linear = np.array([0.0, -GRAVITY, 0.0])
        joints = [self._rod(0, k, 0.0) for k in range(loops + 1)]
        links = [self._rod(joints[k], 1.0, 0.0) for k in range(loops)]
        end = pin.SE3(np.eye(3), np.array([1.0, 0.0, 0.0]))
        # Its own containers: a list would be converted at each call.
        self._ties, self._tied = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for k in range(loops):
            self._ties.append(
                pin.RigidConstraintModel(
                    pin.ContactType.CONTACT_3D, self._model, links[k], end, joints[k + 1], end, pin.ReferenceFrame.LOCAL
                )
            )
            self._tied.append(self._ties[k].createData())
        self._data = self._model.createData()
        pin.computeJointMinimalOrdering(self._model, self._data, self._ties)
        self._settings = pin.ProximalSettings(1e-8, 1e-6, 10)
        self._tau = np.zeros(self._model.nv)
        # Cranks upright, turning from y to x at 1 rad/s; links along x do not turn: relative to their cranks.
        self._q = np.array([np.pi / 2] * (loops + 1) + [-np.pi / 2] * loops)
        self._v = np.array([-1.0] * (loops + 1) + [1.0] * loops)
        order = [self._model.joints[j].idx_v for j in (*joints, *links)]
        self._q, self._v = self._q[np.argsort(order)], self._v[np.argsort(order)]
        self._first = self._model.joints[joints[0]].idx_q

    def _rod(self, parent: int, x: float, y: float) -> int:
        place = pin.SE3(np.eye(3), np.array([x, y, 0.0]))
        joint = self._model.addJoint(parent, pin.JointModelRZ(), place, f"joint{self._model.njoints}")
        inertia = pin.Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.diag([1e-4, 1 / 12, 1 / 12]))
        self._model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        return joint

    def _acceleration(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return pin.lcaba(self._model, self._data, q, v, self._tau, self._ties, self._tied, self._settings).copy()

    def run(self, steps: int) -> None:
        h = STEP
        for _ in range(steps):
            q, v = self._q, self._v
            a1 = self._acceleration(q, v)
            v2 = v + h / 2 * a1
            a2 = self._acceleration(q + h / 2 * v, v2)
            v3 = v + h / 2 * a2
            a3 = self._acceleration(q + h / 2 * v2, v3)
            v4 = v + h * a3
            a4 = self._acceleration(q + h * v3, v4)
            self._q = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4)
            self._v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)

    def each_second(self, seconds: int) -> list[tuple[float, float]]:
        return [self._after_a_second() for _ in range(seconds)]

    def _after_a_second(self) -> tuple[float, float]:
        self.run(round(1 / STEP))
        angle = self._q[self._first]
        return float(np.cos(angle)), float(np.sin(angle))
