// Xcos and Counterpoint: blocks that implement the link protocol, and functions that build diagrams in a script.
//
//   exec("counterpoint.sci", -1);
//   d = diagram();
//   [d, coupling] = add(d, counterpoint_subsystem("controller", ["lean" "rad"], ["force" "N"]));
//   [d, gain] = add(d, parametrised(GAINBLK("define"), "40"));
//   d = connect(d, coupling, gain);
//   d = connect(d, gain, coupling);
//   counterpoint_run(d);
//
// Set the environment variables COUNTERPOINT_ADDRESS and COUNTERPOINT_TOKEN to where to connect.

loadXcosLibs();
loadScicos(); // before the block is linked: it uses functions of the simulator

function counterpoint_link(folder)
    // Compile the C blocks once per session, and link them to Scilab.
    library = TMPDIR + "/libcounterpoint_xcos.so";
    words = ["cc -O2 -shared -fPIC -I" + SCI + "/../../include/scilab", "-o", library, folder + "/counterpoint_xcos.c"];
    [said, code] = unix_g(strcat(words, " ") + " 2>&1");
    if code <> 0 then
        error(["counterpoint_link: the blocks cannot be compiled (packages gcc and scilab-include):"; said]);
    end
    link(library, ["counterpoint_subsystem", "counterpoint_model", "counterpoint_over"], "c");
endfunction

function [x, y, typ] = COUNTERPOINT(job, arg1, arg2)
    // Interface function of both blocks; all parameters are set when they are created.
    x = []; y = []; typ = [];
    select job
    case "define" then
        model = scicos_model(sim=list("counterpoint_subsystem", 4), evtin=1, evtout=1, firing=0, blocktype="c", ..
                             dep_ut=[%f %t]);
        x = standard_define([3 2], model, [], []);
    case "set" then
        x = arg1;
    end
endfunction

function block = with_ports(block, n_in, n_out)
    // Give a block one vector port on each side that has signals; event output and input are wired later by `add`.
    if n_in > 0 then
        block.model.in = n_in; block.model.in2 = 1; block.model.intyp = 1; block.graphics.pin = 0;
    end
    if n_out > 0 then
        block.model.out = n_out; block.model.out2 = 1; block.model.outtyp = 1; block.graphics.pout = 0;
    end
endfunction

function block = counterpoint_subsystem(name, inputs, outputs, feedthrough)
    // The diagram is a subsystem of a co-simulation. The outputs of the block are the inputs of the diagram and
    // vice versa, each as one vector.
    // inputs, outputs: one row per signal, name and unit. feedthrough: one row per pair, output and input;
    // default: all pairs; [] for none.
    tab = ascii(9); newline = ascii(10);
    if argn(2) < 4 then
        feedthrough = [];
        for i = 1:size(outputs, "r")
            for j = 1:size(inputs, "r")
                feedthrough = [feedthrough; outputs(i, 1) inputs(j, 1)];
            end
        end
    end
    text = "name" + tab + name + newline;
    for i = 1:size(inputs, "r")
        text = text + "input" + tab + inputs(i, 1) + tab + "1" + tab + inputs(i, 2) + newline;
    end
    for i = 1:size(outputs, "r")
        text = text + "output" + tab + outputs(i, 1) + tab + "1" + tab + outputs(i, 2) + newline;
    end
    for i = 1:size(feedthrough, "r")
        text = text + "feedthrough" + tab + feedthrough(i, 1) + tab + feedthrough(i, 2) + newline;
    end
    block = with_ports(COUNTERPOINT("define"), size(outputs, "r"), size(inputs, "r"));
    block.model.ipar = ascii(text)';
endfunction

function block = counterpoint_model(step, inputs, outputs)
    // A model served by Counterpoint as a block of the diagram, with communication steps of `step` seconds.
    // inputs, outputs: names of those of its scalar signals that enter and leave the block, each side as one vector.
    block = with_ports(COUNTERPOINT("define"), size(inputs, "*"), size(outputs, "*"));
    block.model.sim = list("counterpoint_model", 4);
    block.model.rpar = step;
    block.model.ipar = [lines_of(inputs); 0; lines_of(outputs); 0];
endfunction

function codes = lines_of(names)
    codes = [];
    for i = 1:size(names, "*")
        codes = [codes; ascii(names(i))'; 10];
    end
endfunction

function block = parametrised(block, expressions)
    // Set the parameters of a block as in its dialog, one text per line.
    block.graphics.exprs = expressions;
endfunction

function d = diagram()
    d = scicos_diagram(version=get_scicos_version());
    d.props.tf = 1e9; // s: the master ends the run
endfunction

function [d, index] = add(d, block)
    // Add a block to a diagram; the event output of a Counterpoint block is wired to its event input.
    for i = 1:length(d.objs)
        if block.gui == "COUNTERPOINT" & typeof(d.objs(i)) == "Block" & isequal(d.objs(i).model.sim, block.model.sim) then
            error("add: a diagram has one " + block.model.sim(1) + " at most; put all signals into its vectors");
        end
    end
    index = length(d.objs) + 1;
    d.objs(index) = block;
    if block.gui == "COUNTERPOINT" then
        d.objs(index + 1) = scicos_link(from=[index 1 0], to=[index 1 1], ct=[5 -1]);
        d.objs(index).graphics.peout = index + 1;
        d.objs(index).graphics.pein = index + 1;
    end
endfunction

function d = connect(d, source, target, out_port, in_port)
    // Connect an output port to an input port, by default the first ones. To branch, add a SPLIT_f block.
    if argn(2) < 4 then out_port = 1; end
    if argn(2) < 5 then in_port = 1; end
    index = length(d.objs) + 1;
    d.objs(index) = scicos_link(from=[source out_port 0], to=[target in_port 1], ct=[1 1]);
    d.objs(source).graphics.pout(out_port) = index;
    d.objs(target).graphics.pin(in_port) = index;
endfunction

function d = clocked(d, coupling, target)
    // Let the event of a Counterpoint block also activate another block.
    own = d.objs(coupling).graphics.peout;
    split = length(d.objs) + 1;
    d.objs(split) = CLKSPLIT_f("define");
    d.objs(split).graphics.pein = own;
    d.objs(split).graphics.peout = [split + 1; split + 2];
    d.objs(split + 1) = scicos_link(from=[split 1 0], to=[coupling 1 1], ct=[5 -1]);
    d.objs(split + 2) = scicos_link(from=[split 2 0], to=[target 1 1], ct=[5 -1]);
    d.objs(own).to = [split 1 1];
    d.objs(coupling).graphics.pein = split + 1;
    d.objs(target).graphics.pein = split + 2;
endfunction

function counterpoint_run(d)
    // Act as a subsystem, for one run after another, until the master closes the connection.
    over = 0;
    while ~over
        if execstr("scicos_simulate(d, list(), ""nw"");", "errcatch") <> 0 then
            mprintf("%s\n", lasterror());
        end
        over = call("counterpoint_over", "out", [1 1], 1, "i");
    end
endfunction

function write_diagram(d, file)
    // Write a diagram as a file for the Xcos window (.zcos), its blocks in a row; this needs a display.
    for i = 1:length(d.objs)
        if typeof(d.objs(i)) == "Link" then
            d.objs(i).xx = [0; 20; 40]; // a link without coordinates is not written
            d.objs(i).yy = [0; 0; 0];
        else
            d.objs(i).graphics.orig = [100 * i 40];
            d.objs(i).graphics.sz = [60 40];
            d.objs(i).model.uid = "block" + string(i);
        end
    end
    xcosDiagramToScilab(file, d);
endfunction

counterpoint_link(get_absolute_file_path("counterpoint.sci"));
