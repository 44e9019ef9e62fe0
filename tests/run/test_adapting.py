"""Orders that change during a run."""

import numpy as np
import pytest

import counterpoint as cp


def masses(order):
    """Two masses (González et al. 2011, FR = 40): coupled with a slow step of 2.5 per period of the fast motion."""
    system = cp.System("two masses")
    fast = cp.linear([[0, 1], [-39.088, 0]], [[0], [39.063]], x0=[11, 0], inputs="u", outputs=["x", "v"])
    slow = cp.linear(
        [[0, 1], [-0.41532, 0]], [[0], [0.39063]], x0=[9.99, 0], inputs="u", outputs=["x", "v"], solver="trapezoidal"
    )
    system.add("fast", fast, step=0.01)
    system.add("slow", slow, step=0.4)
    system.connect("slow.x", "fast.u", cp.lagrange(order))
    system.connect("fast.x", "slow.u", cp.lagrange(order))
    return system


def largest(result):
    return np.abs(result["fast.x"].values[-500:]).max()


def changes(result):
    return [text for text in result.events["text"] if "approximations are changed" in text]


def test_an_order_that_lets_a_motion_grow_is_replaced_and_the_log_says_why():
    plain = masses(1).run(until=200, scheme="parallel", first_steps="once", check="off")
    adapted = masses(1).run(until=200, scheme="parallel", adapt=True, check="off")
    assert largest(plain) > 1000
    assert largest(adapted) < 20
    (text,) = changes(adapted)
    assert "fast.x -> slow.u: the highest band has grown" in text
    assert "fast.x -> slow.u from order 1 to 3" in text
    time = adapted.events.set_index("text").loc[text, "time"]
    before = plain["fast.x"].time < time
    assert np.array_equal(plain["fast.x"].values[before], adapted["fast.x"].values[: before.sum()])


def test_observed_and_predicted_growth_agree_on_a_linear_system():
    adapted = masses(1).run(until=200, scheme="parallel", adapt=True, check="off")
    words = changes(adapted)[0].partition(" per second; predicted ")
    observed, predicted = float(words[0].rpartition("(")[2]), float(words[2].partition(")")[0])
    assert observed == pytest.approx(predicted, rel=0.2)


def test_a_run_that_needs_no_change_has_the_same_bits():
    plain = masses(3).run(until=50, scheme="parallel", first_steps="once", check="off")
    adapted = masses(3).run(until=50, scheme="parallel", adapt=True, check="off")
    assert changes(adapted) == []
    for name in ("fast.x", "slow.x"):
        assert np.array_equal(plain[name].values, adapted[name].values)


def test_what_decides_the_same_is_refused_together_with_it():
    with pytest.raises(cp.SetupError, match="adapt: not together with window"):
        masses(1).run(until=1, adapt=True, window=cp.window(0.4))
    with pytest.raises(cp.SetupError, match="adapt: 1; expected true or false"):
        masses(1).run(until=1, adapt=1)


def test_a_verdict_does_not_tell_of_modes_with_approximations_that_were_replaced():
    adapted = masses(1).run(until=200, scheme="parallel", adapt=True)
    assert changes(adapted)
    assert adapted.quality.second.modes is None
    assert "linearised at its start" not in str(adapted.quality)
    assert masses(3).run(until=20, scheme="slowest-first", adapt=True).quality.second.modes is not None
