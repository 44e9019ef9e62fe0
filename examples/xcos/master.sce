// Xcos is the master: the inverted pendulum that Counterpoint serves is a block, stabilised by a PD controller.
exec(get_absolute_file_path("master.sce") + "counterpoint.sci", -1);

d = diagram();
d.props.tf = 2.005; // s
[d, plant] = add(d, counterpoint_model(0.01, "force", ["angle" "rate"]));
[d, upright] = add(d, parametrised(CONST_m("define"), "[%pi/2; 0]"));
[d, lean] = add(d, parametrised(SUMMATION("define"), ["1"; "[1;-1]"; "0"]));
[d, gain] = add(d, parametrised(GAINBLK("define"), ["[40 8]"; "0"]));
[d, branch] = add(d, SPLIT_f("define"));
[d, record] = add(d, parametrised(TOWS_c("define"), ["1000"; "motion"; "0"]));
d = connect(d, upright, lean);
d = connect(d, plant, branch);
d = connect(d, branch, lean, 1, 2);
d = connect(d, lean, gain);
d = connect(d, gain, plant);
d = connect(d, branch, record, 2);
d = clocked(d, plant, record);
scicos_simulate(d, list(), "nw");
csvWrite([motion.time motion.values], getenv("XCOS_RESULT"), ",", ".", "%.17g");
exit
