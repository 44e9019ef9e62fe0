// What the user sees around the picture and does to it; drawing.js draws.

// ---- what is shown --------------------------------------------------------------------------------------------------
const digits = clamp(Math.ceil(-Math.log10((last - first) / 2000)), 0, 9);
const rounded = (number) => String(Number(number.toPrecision(3)));

function showTime() {
  element("time").value = state.time;
  element("clock").textContent = `${state.time.toFixed(digits)} s`;
}

function showScale(spacing) {
  const [factor, name] = [[1e3, "km"], [1, "m"], [1e-3, "mm"], [1e-6, "µm"]].find(([size]) => spacing >= size) || [1e-9, "nm"];
  element("scale").textContent = state.grid ? `grid ${rounded(spacing / factor)} ${name}` : "";
}

// The world's axes in the corner; those that point away are drawn first.
function showTriad({ right, up, back }) {
  const axes = ["x", "y", "z"].map((name, i) => ({ name, x: 26 * right[i], y: -26 * up[i], near: back[i] }));
  const tints = { x: "#d55e00", y: "#009e73", z: "#3d8fd1" };
  const parts = axes.sort((a, b) => a.near - b.near).flatMap(({ name, x, y, near }) => {
    const opacity = Math.hypot(x, y) < 4 ? 0 : near < -0.3 ? 0.55 : 1, tint = tints[name];
    return [drawn("line", { x2: x, y2: y, stroke: tint, "stroke-width": 3, "stroke-linecap": "round", opacity }),
      drawn("text", { x: x * 1.36, y: y * 1.36, fill: tint, opacity }, name)];
  });
  element("triad").replaceChildren(...parts);
}

function drawn(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

function showHovered(shape, at) {
  const tip = element("tip");
  tip.hidden = !shape;
  if (shape) {
    const group = scene.groups[shape.group];
    tip.textContent = group === shape.name ? group : `${group}: ${shape.name}`;
    [tip.style.left, tip.style.top] = [`${at[0]}px`, `${at[1]}px`];
  }
  setHovered(shape ? shape.group : -1);
}

function setHovered(group) {
  if (state.hovered === group) return;
  state.hovered = group;
  [...element("list").children].forEach((label, i) => label.classList.toggle("hot", i === group));
  redraw();
}

function listGroups() {
  if (scene.groups.length < 2) return;
  const panel = element("groups");
  panel.hidden = false;
  panel.open = scene.groups.length <= 12;
  panel.querySelector("summary").textContent = `Shown (${scene.groups.length})`;
  element("list").replaceChildren(...scene.groups.map((name, group) => {
    const label = document.createElement("label"), box = document.createElement("input");
    const dot = document.createElement("i"), text = document.createElement("span");
    box.type = "checkbox";
    box.checked = true;
    box.onchange = () => { if (box.checked) hidden.delete(group); else hidden.add(group); redraw(); };
    const colour = scene.shapes.find((shape) => shape.group === group).colour;
    dot.style.background = `rgb(${colour.map((part) => Math.round(255 * part)).join()})`;
    text.textContent = text.title = name;
    label.onpointerenter = () => setHovered(group);
    label.onpointerleave = () => setHovered(-1);
    label.append(box, dot, text);
    return label;
  }));
}

// ---- time -----------------------------------------------------------------------------------------------------------
function setPlaying(playing) {
  if (playing && state.time >= last) state.time = first;
  state.playing = playing;
  before = performance.now();
  element("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  element("play").querySelector("path").setAttribute("d", playing ? "M2 1h4v12H2zM8 1h4v12H8z" : "M2 1l11 6-11 6z");
  redraw();
}

function setTime(time) {
  state.time = clamp(time, first, last);
  redraw();
}

function stepFrames(count) {
  setPlaying(false);
  const here = count > 0 || weight === 0 ? frame : frame + 1;  // from between two frames, back is to the earlier
  setTime(times[clamp((weight === 1 ? frame + 1 : here) + count, 0, times.length - 1)]);
}

function setLoop(loop) {
  state.loop = loop;
  element("loop").setAttribute("aria-pressed", loop);
}

const SPEEDS = [...new Set([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, scene.speed])]
  .sort((a, b) => a - b);

function setSpeed(place) {
  const chosen = clamp(place, 0, SPEEDS.length - 1);
  state.speed = SPEEDS[chosen];
  element("speed").selectedIndex = chosen;
}

// ---- mouse, fingers and keys ----------------------------------------------------------------------------------------
const pointers = new Map();
const position = (event) => {
  const frame = canvas.getBoundingClientRect();
  return [event.clientX - frame.left, event.clientY - frame.top];
};

function orbit(dx, dy) {
  camera.around -= dx * 0.008;
  camera.above = clamp(camera.above + dy * 0.008, -Math.PI / 2, Math.PI / 2);
  camera.fitted = false;
}

function pan(dx, dy) {
  const { right, up } = look(), size = 2 * camera.half / canvas.clientHeight;
  camera.target = add(add(camera.target, right, -dx * size), up, dy * size);
  camera.fitted = false;
}

// The place under the mouse stays where it is.
function zoom(factor, [x, y]) {
  const off = [x - canvas.clientWidth / 2, y - canvas.clientHeight / 2];
  const half = clamp(camera.half * factor, 1e-4 * reach, 100 * reach), real = half / camera.half;
  pan(-off[0] * (1 - real), -off[1] * (1 - real));
  camera.half = half;
}

function moved(event) {
  const at = position(event), old = pointers.get(event.pointerId);
  if (!old) {
    pickAt = at;
  } else if (pointers.size === 1) {
    const [dx, dy] = [at[0] - old[0], at[1] - old[1]];
    const second = event.shiftKey || (event.buttons & ~1) > 0;
    (second === scene.planar ? orbit : pan)(dx, dy);
  } else {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const apart = (place) => Math.max(Math.hypot(place[0] - other[0], place[1] - other[1]), 1);
    zoom(apart(old) / apart(at), other);
    pan((at[0] - old[0]) / 2, (at[1] - old[1]) / 2);
  }
  if (old) pointers.set(event.pointerId, at);
  redraw();
}

function released(event) {
  pointers.delete(event.pointerId);
  canvas.classList.toggle("held", pointers.size > 0);
}

const toggleTheme = () => {
  const dark = cssColour("color")[0] > 0.5;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  redraw();
};

const KEYS = {
  " ": () => setPlaying(!state.playing),
  ArrowLeft: (event) => stepFrames(event.shiftKey ? -10 : -1),
  ArrowRight: (event) => stepFrames(event.shiftKey ? 10 : 1),
  Home: () => setTime(first),
  End: () => setTime(last),
  "-": () => setSpeed(SPEEDS.indexOf(state.speed) - 1),
  "+": () => setSpeed(SPEEDS.indexOf(state.speed) + 1),
  "=": () => setSpeed(SPEEDS.indexOf(state.speed) + 1),
  l: () => setLoop(!state.loop),
  f: fit, 0: () => setView("iso"), 1: () => setView("front"), 2: () => setView("side"), 3: () => setView("top"),
  p: () => { camera.perspective = !camera.perspective; },
  g: () => { state.grid = !state.grid; },
  d: toggleTheme,
  "?": () => element("help").showModal(),
};

function pressed(event) {
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const ownKeys = { BUTTON: " ", SUMMARY: " ", SELECT: " ArrowLeftArrowRightHomeEnd" }[event.target.tagName] || "";
  const forBox = event.target.type === "checkbox" && event.key === " ";
  if (!action || event.ctrlKey || event.metaKey || event.altKey || element("help").open) return;
  if (forBox || (ownKeys && ownKeys.includes(event.key))) return;
  event.preventDefault();
  action(event);
  redraw();
}

function connect() {
  const options = SPEEDS.map((speed) => new Option(`${rounded(speed)}×`));
  element("speed").replaceChildren(...options);
  setSpeed(SPEEDS.indexOf(scene.speed));
  [element("time").min, element("time").max] = [first, last];
  element("time").oninput = (event) => { setPlaying(false); setTime(Number(event.target.value)); };
  element("speed").onchange = (event) => setSpeed(event.target.selectedIndex);
  element("play").onclick = () => setPlaying(!state.playing);
  element("loop").onclick = () => setLoop(!state.loop);
  element("fit").onclick = () => { fit(); redraw(); };
  element("question").onclick = () => element("help").showModal();
  element("views").onclick = ({ target }) => { if (target.dataset.view) { setView(target.dataset.view); redraw(); } };
  [element("drag").textContent, element("other").textContent] = scene.planar ? ["move", "turn"] : ["turn", "move"];
  element("title").textContent = scene.title;
  canvas.setAttribute("aria-label", `Animation ${scene.title}`);
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, position(event));
    canvas.classList.add("held");
  };
  canvas.onpointermove = moved;
  canvas.onpointerup = canvas.onpointercancel = released;
  canvas.onpointerleave = () => showHovered(undefined);
  canvas.oncontextmenu = (event) => event.preventDefault();
  canvas.ondblclick = () => { fit(); redraw(); };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 30 : 1), -150, 150) * 0.0016), position(event));
    redraw();
  }, { passive: false });
  window.addEventListener("keydown", pressed);
  // After a click, unlike after Tab, the keys mean the picture again.
  window.addEventListener("click", ({ detail }) => { if (detail) requestAnimationFrame(() => document.activeElement.blur()); });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new ResizeObserver(() => {
    if (camera.fitted) fit();
    if (tools) picture(tools.gl);  // at once: the browser would show the old picture stretched
  }).observe(canvas);
}

// The address may ask for a moment: #t=1.2&view=side&theme=dark&play=0
function begin() {
  const asked = new URLSearchParams(location.hash.slice(1)), time = Number.parseFloat(asked.get("t"));
  if (["light", "dark"].includes(asked.get("theme"))) document.documentElement.dataset.theme = asked.get("theme");
  connect();
  listGroups();
  setView(Object.hasOwn(scene.views, asked.get("view")) ? asked.get("view") : scene.planar ? "front" : "iso");
  if (Number.isFinite(time)) setTime(time);
  const still = Number.isFinite(time) || asked.get("play") === "0";
  setPlaying(!still && !window.matchMedia("(prefers-reduced-motion: reduce)").matches);
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, stencil: true });
  element("failure").hidden = Boolean(gl);
  if (!gl) return;
  tools = setUp(gl);
  // A notebook with many pictures takes the oldest one's context away and may give it back.
  canvas.addEventListener("webglcontextlost", (event) => { event.preventDefault(); tools = null; });
  canvas.addEventListener("webglcontextrestored", () => { tools = setUp(gl); redraw(); });
}
begin();
