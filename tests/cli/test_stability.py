"""The command stability."""


def test_stability_tells_radius_modes_and_cause(counterpoint, examples):
    code, out, _ = counterpoint("stability", examples / "two_mass.toml")
    assert code == 0
    for expected in ("two-mass, slowest-first", "spectral radius 1.00000083", "Motions after 100 s", "across the cut"):
        assert expected in out


def test_schemes_are_compared_and_the_largest_step_is_found(counterpoint, examples, tmp_path):
    picture = tmp_path / "multipliers.png"
    code, out, _ = counterpoint(
        "stability", examples / "two_mass.toml", "--compare", "--largest-step", "--span", "10", "--plot", picture
    )
    assert code == 0
    assert "Motions after 10 s" in out
    assert all(scheme in out for scheme in ("fastest-first", "parallel", "sequential"))
    assert "stable up to" in out
    assert picture.exists()


def test_steps_and_scheme_can_be_replaced(counterpoint, examples):
    code, out, _ = counterpoint("stability", examples / "two_mass.toml", "--scheme", "parallel", "--step", "slow=0.9")
    assert code == 0
    assert "parallel (fast 0.01 s, slow 0.9 s): unstable" in out


def test_a_mechanism_without_freedom_is_told(counterpoint, examples):
    code, _, err = counterpoint("stability", examples / "slider-crank.toml")
    assert code == 2
    assert "has no states" in err


def test_steps_that_change_are_analysed(counterpoint, examples):
    code, out, _ = counterpoint("stability", examples / "two_mass.toml", "--changing-steps", "0.5, 1")
    assert code == 0
    assert "steps that change: worst w" in out
    assert "any sequence grows by less than" in out
    for wrong in ("0.5,x", "-1", ","):
        code, _, err = counterpoint("stability", examples / "two_mass.toml", "--changing-steps", wrong)
        assert code == 2
        assert "expected positive numbers" in err


def test_schemes_that_a_window_does_not_allow_are_named_in_the_comparison(counterpoint, examples, tmp_path):
    text = (examples / "two_mass.toml").read_text()
    scenario = tmp_path / "compound.toml"
    scenario.write_text(f'window = {{ compound = 1.0, tolerance = 1e-8, acceleration = "iqn-ils" }}\n{text}')
    code, out, err = counterpoint("stability", scenario, "--compare", "--largest-step")
    assert code == 0, err
    assert out.count("the window does not allow it") == 3
    assert "stable up to" in out


def test_a_pace_of_the_scenario_is_told(counterpoint, examples, tmp_path):
    scenario = tmp_path / "paced.toml"
    text = (examples / "two_mass.toml").read_text(encoding="utf-8")
    scenario.write_text('pace = { kind = "defect" }\n' + text, encoding="utf-8")
    code, out, _ = counterpoint("stability", scenario)
    assert code == 0
    assert "the pace of the run, defect, tolerance 0.001, chooses other steps" in " ".join(out.split())
