// Draws the scene that page.py wrote: solids and lines with WebGL 2, everything relative to the scene's middle.
"use strict";
const element = (id) => document.getElementById(id);
const scene = JSON.parse(element("scene").textContent);

const decoded = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const times = new Float64Array(decoded(scene.times));
const columns = new Float32Array(decoded(scene.columns));
const first = times[0], last = times[times.length - 1];

const add = (a, b, factor = 1) => [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];
const times3 = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => times3(a, 1 / (Math.hypot(...a) || 1));
const mix = (a, b, weight) => a.map((value, i) => value + weight * (b[i] - value));
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

const reach = Math.hypot(...scene.half) || 1;
const [RIGHT, UP, FRONT] = scene.axes;
const state = { time: first, playing: false, loop: true, speed: scene.speed, grid: true, hovered: -1 };
const hidden = new Set();

// ---- the motion -----------------------------------------------------------------------------------------------------
let frame = 0, weight = 0;
const jumps = new Set(scene.jumps);  // after these frames bodies turn so far that a straight way would shorten them

function seek(time) {
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle; else high = middle;
  }
  frame = low;
  weight = times[high] > times[low] ? clamp((time - times[low]) / (times[high] - times[low]), 0, 1) : 1;
  if (jumps.has(frame)) weight = Math.round(weight);
}

// A coordinate that never changes is a list with its value, any other is the number of a column.
function coordinate(reference, at = frame, share = weight) {
  if (typeof reference !== "number") return reference[0];
  const place = reference * scene.frames + at, here = columns[place];
  return share ? here + share * (columns[place + 1] - here) : here;
}
const point = (shape, i) => shape.points[i].map((reference) => coordinate(reference));
const pointAt = (shape, i, at) => shape.points[i].map((reference) => coordinate(reference, at, 0));

// The rotation matrix (columns one after the other), on the shortest way between two frames.
function turned(references) {
  const a = references.map((reference) => coordinate(reference, frame, 0));
  let b = weight ? references.map((reference) => coordinate(reference, frame + 1, 0)) : a;
  let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  if (cosine < 0) { b = b.map((value) => -value); cosine = -cosine; }
  const angle = Math.acos(Math.min(cosine, 1)), sine = Math.sin(angle);
  const left = sine > 1e-4 ? Math.sin((1 - weight) * angle) / sine : 1 - weight;
  const right = sine > 1e-4 ? Math.sin(weight * angle) / sine : weight;
  const mixed = a.map((value, i) => left * value + right * b[i]), size = Math.hypot(...mixed);
  const [w, x, y, z] = mixed.map((value) => value / size);
  return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
}

// ---- the camera: turns around a target, without a pole it cannot look from --------------------------------------------
const SPREAD = Math.tan(Math.PI / 12);  // half the angle of view, upright
const camera = { around: 0, above: 0, target: [0, 0, 0], half: 1, perspective: !scene.planar, fitted: true };

function look() {
  const outward = add(times3(RIGHT, Math.sin(camera.around)), FRONT, Math.cos(camera.around));
  return {
    right: add(times3(RIGHT, Math.cos(camera.around)), FRONT, -Math.sin(camera.around)),
    up: add(times3(UP, Math.cos(camera.above)), outward, -Math.sin(camera.above)),
    back: add(times3(outward, Math.cos(camera.above)), UP, Math.sin(camera.above)),
  };
}

function fit() {
  const { right, up, back } = look(), aspect = canvas.clientWidth / Math.max(canvas.clientHeight, 1);
  camera.target = [0, 0, 0];
  camera.fitted = true;
  camera.half = 1e-3 * reach;
  for (let corner = 0; corner < 8; corner++) {
    const at = scene.half.map((half, i) => (corner >> i & 1 ? half : -half));
    const nearer = camera.perspective ? dot(back, at) * SPREAD : 0;
    const needed = Math.max(Math.abs(dot(right, at)) / aspect, Math.abs(dot(up, at)));
    camera.half = Math.max(camera.half, needed * 1.12 + nearer);
  }
}

function setView(name) {
  [camera.around, camera.above] = scene.views[name].map((degrees) => degrees * Math.PI / 180);
  fit();
}

// The matrix from the scene to the screen, and what else depends on where the viewer stands.
function projection(width, height, gridReach) {
  const { right, up, back } = look(), distance = camera.half / SPREAD;
  const middle = distance + dot(back, camera.target), around = Math.max(2 * reach, gridReach + Math.hypot(...camera.target));
  const near = camera.perspective ? Math.max(middle - around, 0.01 * distance) : middle - around, far = middle + around;
  const depth = camera.perspective ? [(far + near) / (far - near), -2 * far * near / (far - near)]
    : [2 * distance / (far - near), -distance * (far + near) / (far - near)];
  const row = (axis, factor, shift) => [...times3(axis, factor), shift - factor * dot(axis, camera.target)];
  const rows = [row(right, distance * height / (camera.half * width), 0), row(up, distance / camera.half, 0),
    row(back, -depth[0], depth[0] * distance + depth[1]), row(back, camera.perspective ? -1 : 0, distance)];
  return {
    right, up, back, near: Math.max(near, 0.01 * distance),
    matrix: [0, 1, 2, 3].flatMap((column) => rows.map((line) => line[column])),
    pixel: (at) => 2 * camera.half / height * (dot(rows[3], at) + rows[3][3]) / distance,  // m, at a place
  };
}

// ---- WebGL ----------------------------------------------------------------------------------------------------------
const canvas = element("picture");
const SOLID_VERTEX = `#version 300 es
layout(location=0) in vec3 position; layout(location=1) in vec3 normal;
uniform mat4 camera; uniform mat3 turn, view; uniform vec3 place, scale; uniform vec4 ground; uniform bool shadow;
out vec3 facing, local;
void main() {
  vec3 world = turn * (scale * position) + place;
  if (shadow) world -= ground.xyz * (dot(world, ground.xyz) - ground.w);
  gl_Position = camera * vec4(world, 1);
  facing = view * (turn * (normal / scale));
  local = position;
}`;
const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 facing, local; uniform vec4 colour; uniform bool flat_, marked; out vec4 result;
void main() {
  result = colour;
  if (flat_) return;
  vec3 n = normalize(facing); n *= sign(n.z + 1e-6);  // the inside of an open mesh is lit too
  float eighth = local.x * local.y * local.z;
  if (marked) result.rgb *= mix(0.7, 1.0, clamp(eighth / max(fwidth(eighth), 1e-9) + 0.5, 0.0, 1.0));
  float key = max(dot(n, normalize(vec3(-0.45, 0.75, 0.6))), 0.0), sky = 0.5 + 0.5 * n.y;
  float shine = pow(max(dot(n, normalize(vec3(-0.25, 0.42, 0.9))), 0.0), 40.0);
  result.rgb = result.rgb * (0.58 + 0.22 * sky + 0.36 * key) + 0.18 * shine;
}`;
// Every line is a strip of the screen with round ends; its two widths are in dots, so that it never gets lost.
const LINE_VERTEX = `#version 300 es
layout(location=0) in vec3 start; layout(location=1) in vec3 end; layout(location=2) in vec4 tint;
layout(location=3) in vec3 style;
uniform mat4 camera; uniform vec2 viewport; uniform vec4 ground; uniform bool shadow; uniform float near;
out vec2 local; flat out vec3 size; out vec4 colour, place;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec3 from = start, to = end;
  if (shadow) {
    from -= ground.xyz * (dot(from, ground.xyz) - ground.w);
    to -= ground.xyz * (dot(to, ground.xyz) - ground.w);
  }
  vec4 a = camera * vec4(from, 1), b = camera * vec4(to, 1);
  gl_Position = vec4(2, 2, 2, 1);
  if (max(a.w, b.w) < near) return;
  // What is behind the viewer has no place on the screen: begin in front.
  if (a.w < near) { float s = (near - a.w) / (b.w - a.w); a = mix(a, b, s); from = mix(from, to, s); }
  if (b.w < near) { float s = (near - b.w) / (a.w - b.w); b = mix(b, a, s); to = mix(to, from, s); }
  vec2 first = a.xy / a.w * viewport / 2.0, last = b.xy / b.w * viewport / 2.0;
  float length_ = distance(first, last), reach = max(style.x, style.y) + 1.0;
  vec2 along = length_ > 1e-3 ? (last - first) / length_ : vec2(1, 0), across = vec2(-along.y, along.x);
  local = vec2(mix(-reach, length_ + reach, corner.x), mix(-reach, reach, corner.y));
  vec4 clip = mix(a, b, corner.x);
  gl_Position = vec4((first + local.x * along + local.y * across) * 2.0 / viewport, clip.z / clip.w - style.z, 1);
  size = vec3(style.xy, length_);
  colour = tint;
  place = vec4(mix(from, to, corner.x), 1) / clip.w;
}`;
const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec2 local; flat in vec3 size; in vec4 colour, place;
uniform bool flat_; uniform vec4 fade; out vec4 result;
void main() {
  float share = size.z > 1e-3 ? clamp(local.x / size.z, 0.0, 1.0) : 0.0;
  float radius = mix(size.x, size.y, share), off = distance(local, vec2(share * size.z, 0));
  float inside = clamp(radius - off + 0.5, 0.0, 1.0);
  if (size.x > size.y) inside *= clamp(local.x + 0.5, 0.0, 1.0);  // the head of an arrow has a flat back
  if (flat_ ? inside < 0.5 : inside <= 0.0) discard;
  result = colour;
  if (flat_) return;
  if (radius > 2.0) result.rgb *= mix(0.62, 1.06, sqrt(max(1.0 - off * off / (radius * radius), 0.0)));
  result.a *= inside;
  if (fade.w > 0.0) result.a *= 1.0 - smoothstep(0.3, 1.0, distance(place.xyz / place.w, fade.xyz) / fade.w);
}`;

function program(gl, ...sources) {
  const made = gl.createProgram();
  [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].forEach((kind, i) => {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, sources[i]);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  });
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(made));
  const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) || 0;
  const names = Array.from({ length: count }, (_, i) => gl.getActiveUniform(made, i).name);
  return { made, at: Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(made, name)])) };
}

// Corners with normals, smooth where faces meet at less than 45°, and the edges where they do not.
function shaded({ vertices, faces }) {
  const at = new Float32Array(decoded(vertices)), corners = new Uint32Array(decoded(faces));
  const vertex = (i) => [at[3 * i], at[3 * i + 1], at[3 * i + 2]];
  const merged = new Map(), same = [];  // places that several vertices share count as one
  for (let i = 0; i < at.length / 3; i++) {
    const key = vertex(i).join();
    if (!merged.has(key)) merged.set(key, i);
    same.push(merged.get(key));
  }
  const normals = [], around = new Map(), sides = new Map();
  const collect = (map, key, face) => { if (map.has(key)) map.get(key).push(face); else map.set(key, [face]); };
  for (let face = 0; face < corners.length / 3; face++) {
    const ids = [0, 1, 2].map((k) => same[corners[3 * face + k]]), [a, b, c] = ids.map(vertex);
    normals.push(cross(add(b, a, -1), add(c, a, -1)));
    ids.forEach((id, k) => {
      collect(around, id, face);
      const next = ids[(k + 1) % 3];
      collect(sides, Math.min(id, next) * same.length + Math.max(id, next), face);
    });
  }
  const units = normals.map(unit), smooth = (a, b) => dot(units[a], units[b]) > 0.7;
  const surface = [], edges = [];
  corners.forEach((corner, k) => {
    const face = Math.floor(k / 3), near = around.get(same[corner]).filter((other) => smooth(face, other));
    surface.push(...vertex(corner), ...unit(near.reduce((sum, other) => add(sum, normals[other]), [0, 0, 0])));
  });
  for (const [key, [a, b]] of sides) {
    if (b !== undefined && smooth(a, b)) continue;
    for (const id of [Math.floor(key / same.length), key % same.length]) edges.push(...vertex(id), 0, 0, 1);
  }
  return [surface, edges];
}

function setUp(gl) {
  const array = (numbers) => {
    const made = gl.createVertexArray();
    gl.bindVertexArray(made);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    [0, 1].forEach((i) => { gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 24, 12 * i); });
    return { made, count: numbers.length / 6 };
  };
  const solids = scene.solids.map((solid) => shaded(solid).map(array));
  const segments = gl.createVertexArray(), buffer = gl.createBuffer();
  gl.bindVertexArray(segments);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  let offset = 0;
  [3, 3, 4, 3].forEach((size, i) => {
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, size, gl.FLOAT, false, 52, offset);
    gl.vertexAttribDivisor(i, 1);
    offset += 4 * size;
  });
  return { gl, solids, segments, buffer, forSolids: program(gl, SOLID_VERTEX, SOLID_FRAGMENT),
    forLines: program(gl, LINE_VERTEX, LINE_FRAGMENT), forPicking: gl.createFramebuffer() };
}

// ---- lines of one frame ---------------------------------------------------------------------------------------------
const segment = (list, from, to, colour, alpha, radius, tip = radius, lift = 0) =>
  list.push(...from, ...to, ...colour, alpha, radius, tip, lift);

function coil(from, to, radius) {
  const along = unit(add(to, from, -1)), turns = 7, perTurn = scene.planar ? 2 : 16;
  const least = along.map(Math.abs), axis = [0, 0, 0];
  axis[least.indexOf(Math.min(...least))] = 1;
  const side = unit(cross(scene.planar ? FRONT : axis, along)), other = cross(along, side);
  const points = [from];
  for (let i = 0; i <= turns * perTurn; i++) {
    const angle = 2 * Math.PI * i / perTurn;
    const wide = radius * Math.min(1, 2 * i / perTurn, 2 * (turns - i / perTurn));  // begins and ends on the line
    const off = add(times3(side, wide * Math.cos(angle)), other, wide * Math.sin(angle));
    points.push(add(mix(from, to, 0.1 + 0.8 * i / (turns * perTurn)), off));
  }
  return [...points, to];
}

function shapeLines(list, shape, colour, paper, dots, pixel, order) {
  const lift = 2e-6 * order;  // of lines at one depth the later is in front
  const path = (points, radius) => points.slice(1).forEach((to, i) => segment(list, points[i], to, colour, 1, radius, radius, lift));
  const points = shape.points.map((_, i) => point(shape, i));
  if (shape.kind === "line") path(points, 3.4 * dots);
  if (shape.kind === "spring") path(coil(points[0], points[1], shape.radius || 0.035 * reach), 1.9 * dots);
  if (shape.kind === "point") {
    segment(list, points[0], points[0], colour, 1, 6 * dots, 6 * dots, 4e-4 + lift);
    if (paper) segment(list, points[0], points[0], paper, 1, 2.6 * dots, 2.6 * dots, 4.01e-4 + lift);
  }
  if (shape.kind === "arrow") {
    const [from, to] = points, length = Math.hypot(...add(to, from, -1));
    if (length === 0) return;
    const neck = mix(to, from, Math.min(16 * dots * pixel(to) / length, 0.6));
    segment(list, from, neck, colour, 1, 2.2 * dots, 2.2 * dots, lift);
    segment(list, neck, to, colour, 1, 6.5 * dots, 0, lift + 1e-6);
  }
}

function traceLines(list, shape, colour, dots) {
  const tip = shape.points.length - 1;
  let from = pointAt(shape, tip, 0);
  const go = (to) => { segment(list, from, to, colour, 1, 1.1 * dots, 1.1 * dots, -4e-4); from = to; };
  for (let at = 1; at <= frame; at++) go(pointAt(shape, tip, at));
  go(point(shape, tip));
}

// A grid of 1, 2 or 5 times a power of ten m around the target, at round places of the world.
function gridLines(list, ink, spacing, dots, steepness) {
  const across = RIGHT, along = scene.planar ? UP : FRONT, count = 24;
  const origin = [across, along].map((axis) => -dot(axis, scene.centre));
  const middle = [across, along].map((axis, i) => Math.round((dot(axis, camera.target) - origin[i]) / spacing));
  const place = (i, j) => add(add(times3(across, origin[0] + i * spacing), along, origin[1] + j * spacing),
    scene.normal, scene.level);
  const alpha = (i) => (i % 5 ? 0.1 : 0.24) * Math.max(Math.min(3 * steepness, 1), 0.1);  // edge-on they add up
  for (let k = -count; k <= count; k++) {
    const [i, j] = [middle[0] + k, middle[1] + k];
    segment(list, place(i, middle[1] - count), place(i, middle[1] + count), ink, alpha(i), 0.55 * dots);
    segment(list, place(middle[0] - count, j), place(middle[0] + count, j), ink, alpha(j), 0.55 * dots);
  }
  return place(...middle);
}

// ---- one picture ----------------------------------------------------------------------------------------------------
let tools = null, wanted = false, pickAt = null, before = 0;
const shown = () => scene.shapes.map((shape, i) => ({ shape, i })).filter(({ shape }) => !hidden.has(shape.group));
const cssColour = (name) => getComputedStyle(canvas)[name].match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
const redraw = () => { if (!wanted) { wanted = true; requestAnimationFrame(draw); } };

function draw(now) {
  wanted = false;
  if (state.playing) {
    state.time += state.speed * Math.min((now - before) / 1000, 0.2);
    if (state.time > last) {
      state.time = state.loop ? first + (state.time - first) % (last - first) : last;
      if (!state.loop) setPlaying(false);
    }
  }
  before = now;
  seek(state.time);
  showTime();
  if (tools) picture(tools.gl);
  if (state.playing) redraw();
}

function picture(gl) {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const exponent = Math.floor(Math.log10(camera.half / 3)), rest = camera.half / 3 / 10 ** exponent;
  const spacing = (rest >= 5 ? 5 : rest >= 2 ? 2 : 1) * 10 ** exponent;
  const view = projection(width, height, 36 * spacing), dots = ratio * clamp(Math.min(width, height) / ratio / 560, 0.6, 1.4);
  const [paper, ink] = [cssColour("backgroundColor"), cssColour("color")];
  const colours = scene.shapes.map((shape) =>
    (state.hovered < 0 || state.hovered === shape.group ? shape.colour : mix(shape.colour, paper, 0.72)));
  showScale(spacing);
  showTriad(view);
  if (pickAt) pick(gl, view, dots, ratio);

  gl.viewport(0, 0, width, height);
  gl.clearColor(...paper, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  solidPass(gl, view, colours);
  const bars = [];
  shown().forEach(({ shape, i }) => shapeLines(bars, shape, colours[i], paper, dots, view.pixel, i));

  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  gl.depthMask(false);
  if (!scene.planar && camera.above > 0) shadows(gl, view, bars, ink[0] > 0.5 ? 0.3 : 0.1);
  if (state.grid) {
    const grid = [], middle = gridLines(grid, ink, spacing, dots, Math.abs(dot(view.back, scene.normal)));
    linePass(gl, view, grid, { fade: [...middle, 24 * spacing] });
  }
  gl.disable(gl.BLEND);
  gl.depthMask(true);
  gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);  // smooth edges that still have a depth
  linePass(gl, view, bars);
  gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
  gl.enable(gl.BLEND);
  gl.depthMask(false);
  const traces = [];
  for (const i of scene.traces) if (!hidden.has(scene.shapes[i].group)) traceLines(traces, scene.shapes[i], mix(colours[i], paper, 0.25), dots);
  linePass(gl, view, traces);
  gl.disable(gl.BLEND);
  gl.depthMask(true);
}

function useProgram(gl, { made, at }, view, shadow, flat) {
  gl.useProgram(made);
  gl.uniformMatrix4fv(at.camera, false, view.matrix);
  gl.uniform4f(at.ground, ...scene.normal, scene.level);
  gl.uniform1i(at.shadow, shadow);
  gl.uniform1i(at.flat_, flat);
}

// Colours are one for each shape; a fourth number is the opacity.
function solidPass(gl, view, colours, { shadow = false, flat = shadow } = {}) {
  const { at } = tools.forSolids;
  useProgram(gl, tools.forSolids, view, shadow, flat);
  const { right, up, back } = view;
  gl.uniformMatrix3fv(at.view, false, [0, 1, 2].flatMap((i) => [right[i], up[i], back[i]]));
  gl.enable(gl.POLYGON_OFFSET_FILL);
  gl.polygonOffset(2, 2);
  for (const { shape, i } of shown()) {
    if (shape.solid === undefined) continue;
    const [surface, edges] = tools.solids[shape.solid];
    gl.uniformMatrix3fv(at.turn, false, turned(shape.turn));
    gl.uniform3f(at.place, ...point(shape, 0));
    gl.uniform3f(at.scale, ...shape.scale);
    gl.uniform4f(at.colour, ...colours[i].slice(0, 3), colours[i][3] ?? 1);
    gl.uniform1i(at.marked, shape.marked);
    gl.bindVertexArray(surface.made);
    gl.drawArrays(gl.TRIANGLES, 0, surface.count);
    if (flat) continue;
    gl.uniform1i(at.flat_, true);
    gl.uniform4f(at.colour, ...times3(colours[i], 0.4), 1);
    gl.bindVertexArray(edges.made);
    gl.drawArrays(gl.LINES, 0, edges.count);
    gl.uniform1i(at.flat_, flat);
  }
  gl.disable(gl.POLYGON_OFFSET_FILL);
}

function linePass(gl, view, list, { shadow = false, flat = shadow, fade = [0, 0, 0, 0] } = {}) {
  const { at } = tools.forLines;
  useProgram(gl, tools.forLines, view, shadow, flat);
  gl.uniform2f(at.viewport, canvas.width, canvas.height);
  gl.uniform1f(at.near, view.near);
  gl.uniform4f(at.fade, ...fade);
  gl.bindVertexArray(tools.segments);
  gl.bindBuffer(gl.ARRAY_BUFFER, tools.buffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(list), gl.DYNAMIC_DRAW);
  gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, list.length / 13);
}

// What is straight above a place darkens it, once.
function shadows(gl, view, bars, opacity) {
  gl.enable(gl.STENCIL_TEST);
  gl.stencilFunc(gl.EQUAL, 0, 255);
  gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
  solidPass(gl, view, scene.shapes.map(() => [0, 0, 0, opacity]), { shadow: true });
  linePass(gl, view, bars.map((number, i) => (i % 13 < 6 || i % 13 > 9 ? number : i % 13 === 9 ? opacity : 0)), { shadow: true });
  gl.disable(gl.STENCIL_TEST);
}

// Draws the number of each shape instead of its colour off screen, and reads the one under the mouse.
function pick(gl, view, dots, ratio) {
  const [x, y] = [Math.round(pickAt[0] * ratio), canvas.height - 1 - Math.round(pickAt[1] * ratio)];
  gl.bindFramebuffer(gl.FRAMEBUFFER, tools.forPicking);
  const stores = [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]].map(([format, use]) => {
    const store = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, store);
    gl.renderbufferStorage(gl.RENDERBUFFER, format, canvas.width, canvas.height);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, use, gl.RENDERBUFFER, store);
    return store;
  });
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.enable(gl.SCISSOR_TEST);
  gl.scissor(x, y, 1, 1);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  const numbers = scene.shapes.map((_, i) => [(i + 1) & 255, (i + 1) >> 8 & 255, (i + 1) >> 16].map((part) => part / 255));
  solidPass(gl, view, numbers, { flat: true });
  const bars = [];
  shown().forEach(({ shape, i }) => shapeLines(bars, shape, numbers[i], null, 1.5 * dots, view.pixel, i));
  linePass(gl, view, bars, { flat: true });
  const found = new Uint8Array(4);
  gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, found);
  gl.disable(gl.SCISSOR_TEST);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  stores.forEach((store) => gl.deleteRenderbuffer(store));
  showHovered(scene.shapes[found[0] + 256 * found[1] + 65536 * found[2] - 1], pickAt);
  pickAt = null;
}
