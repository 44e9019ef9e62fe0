// An engine with a governor as an Xcos diagram: its torque follows 2 (100 - speed) N m with a lag of 0.2 s.
exec(get_absolute_file_path("engine.sce") + "counterpoint.sci", -1);

d = diagram();
d.props.tol(1:2) = [1e-10 1e-10]; // absolute and relative tolerance of the solver
[d, coupling] = add(d, counterpoint_subsystem("engine", ["speed" "rad/s"], ["torque" "N*m"], [])); // no feedthrough
[d, wanted] = add(d, parametrised(CONST_m("define"), "100"));
[d, difference] = add(d, parametrised(SUMMATION("define"), ["1"; "[1;-1]"; "0"]));
[d, lag] = add(d, parametrised(CLR("define"), ["2"; "1+0.2*s"]));
d = connect(d, wanted, difference);
d = connect(d, coupling, difference, 1, 2);
d = connect(d, difference, lag);
d = connect(d, lag, coupling);
counterpoint_run(d);
exit
