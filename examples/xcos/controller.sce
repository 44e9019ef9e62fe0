// The PD controller of the inverted pendulum as an Xcos diagram; Counterpoint is the master.
exec(get_absolute_file_path("controller.sce") + "counterpoint.sci", -1);

d = diagram();
[d, coupling] = add(d, counterpoint_subsystem("controller", ["lean" "rad"; "lean_rate" "rad/s"], ["force" "N"]));
[d, gain] = add(d, parametrised(GAINBLK("define"), ["[40 8]"; "0"]));
d = connect(d, coupling, gain);
d = connect(d, gain, coupling);
counterpoint_run(d);
exit
