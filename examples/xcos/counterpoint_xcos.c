/* Two blocks of Xcos (computational functions of type 4) that implement Counterpoint's link protocol.
 *
 *   counterpoint_subsystem   the diagram is a subsystem of a co-simulation: Counterpoint is the master
 *   counterpoint_model       a model that `counterpoint serve` serves is a block of the diagram: Xcos is the master
 *
 * Both are clocked by their own event output, which is wired to their event input. Where to connect is read from the
 * environment: COUNTERPOINT_ADDRESS (tcp://host:port or unix:///path) and COUNTERPOINT_TOKEN.
 *
 *   cc -shared -fPIC -I/usr/include/scilab -o libcounterpoint_xcos.so counterpoint_xcos.c      (counterpoint.sci does
 * it)
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "scicos_block4.h"

/* Functions that Xcos provides to blocks. */
double get_scicos_time(void);
void end_scicos_sim(void);
void Coserror(const char* format, ...);

enum { HELLO = 1, WELCOME, PORTS, START, BEGIN, STEP, OUTPUT, FINISH, REPLY, REQUEST, VALUES };
enum { ERROR = 16, ALIVE = 17, PING = 18, PONG = 19, LOG = 20, BYE = 23 };
enum { MOST_BYTES = 1 << 16, MOST_SIGNALS = 4000, MOST_SHARES = 64 };

/* One connection: `bytes` holds the last frame received, as text or as doubles. */
struct link {
  int socket;
  uint32_t kind;
  uint32_t size;
  union {
    char bytes[MOST_BYTES + 1];
    double numbers[MOST_BYTES / sizeof(double)];
  };
};

static int lose(struct link* link, const char* why) {
  if (link->socket >= 0) close(link->socket);
  link->socket = -1;
  Coserror("counterpoint: %s", why);
  return 0;
}

static int transfer(struct link* link, void* data, size_t size, int sending) {
  char* at = data;
  while (size > 0) {
    const ssize_t done = sending ? send(link->socket, at, size, MSG_NOSIGNAL) : recv(link->socket, at, size, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return lose(link, "the other program has closed the connection");
    at += done;
    size -= (size_t)done;
  }
  return 1;
}

/* A frame: number of bytes that follow, kind, bytes; sent in one piece, so that TCP does not delay the second. */
static int send_frame(struct link* link, uint32_t kind, const void* data, size_t size) {
  static char frame[8 + MOST_BYTES];
  const uint32_t header[2] = {(uint32_t)size, kind};
  if (size > MOST_BYTES) return lose(link, "a frame is too long");
  memcpy(frame, header, sizeof header);
  if (size > 0) memcpy(frame + sizeof header, data, size);
  return transfer(link, frame, sizeof header + size, 1);
}

/* Return the next relevant frame: skip signs of life and log messages, answer a ping. */
static int receive_frame(struct link* link) {
  do {
    uint32_t header[2];
    if (!transfer(link, header, sizeof header, 0)) return 0;
    link->size = header[0];
    link->kind = header[1];
    if (link->size > MOST_BYTES) return lose(link, "the next frame is too long");
    if (!transfer(link, link->bytes, link->size, 0)) return 0;
    link->bytes[link->size] = '\0';
    if (link->kind == PING && !send_frame(link, PONG, NULL, 0)) return 0;
  } while (link->kind == PING || link->kind == ALIVE || link->kind == LOG);
  return 1;
}

static int connect_local(const char* path) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof place.sun_path) return -1;
  strcpy(place.sun_path, path);
  const int end = socket(AF_UNIX, SOCK_STREAM, 0);
  if (end >= 0 && connect(end, (struct sockaddr*)&place, sizeof place) == 0) return end;
  if (end >= 0) close(end);
  return -1;
}

static int connect_tcp(const char* address) {
  char host[256];
  const char* colon = strrchr(address, ':');
  if (colon == NULL || colon - address >= (int)sizeof host) return -1;
  snprintf(host, sizeof host, "%.*s", (int)(colon - address), address);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
  if (getaddrinfo(host, colon + 1, &hints, &found) != 0) return -1;
  int end = -1;
  for (const struct addrinfo* at = found; at != NULL && end < 0; at = at->ai_next) {
    end = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (end < 0 || connect(end, at->ai_addr, at->ai_addrlen) == 0) continue;
    close(end);
    end = -1;
  }
  freeaddrinfo(found);
  if (end >= 0) setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  return end;
}

/* Connect to the address in the environment and send the token. */
static int join(struct link* link) {
  const char *address = getenv("COUNTERPOINT_ADDRESS"), *token = getenv("COUNTERPOINT_TOKEN");
  if (address == NULL || token == NULL) return lose(link, "set COUNTERPOINT_ADDRESS and COUNTERPOINT_TOKEN first");
  if (strncmp(address, "unix://", 7) == 0) link->socket = connect_local(address + 7);
  if (strncmp(address, "tcp://", 6) == 0) link->socket = connect_tcp(address + 6);
  char text[512];
  snprintf(text, sizeof text, "cannot connect to \"%.400s\"", address);
  if (link->socket < 0) return lose(link, text);
  snprintf(text, sizeof text, "counterpoint-link 1 %.256s", token);
  if (!send_frame(link, HELLO, text, strlen(text)) || !receive_frame(link)) return 0;
  return link->kind == WELCOME ? 1 : lose(link, link->bytes);
}

/* ---- The diagram is a subsystem ------------------------------------------------------------------------------- */

/* The line through the values at these two shares of a step keeps a held input constant and a linear one linear, and
 * has the right mean for any cubic; the value at the end of the step is what outputs are made of. */
static const char ASK[] = "ask\t0.21132486540518713\t0.78867513459481287\t1\n";

static struct {
  struct link link;
  uint32_t command;              /* not answered yet; 0: none */
  double start, t, t_end;        /* of the run, of the command */
  double line_time;              /* time of `line` */
  double line[MOST_SIGNALS];     /* inputs at that time */
  double slope[MOST_SIGNALS];    /* their change per second */
  double at_event[MOST_SIGNALS]; /* inputs at the communication point */
} diagram = {.link = {.socket = -1}};

/* For counterpoint_run in counterpoint.sci. */
void counterpoint_over(int* over) { *over = diagram.link.socket < 0; }

static int reply(double reached, const double* outputs, int count) {
  double numbers[3 + MOST_SIGNALS] = {reached};
  if (count > 0) memcpy(numbers + 3, outputs, (size_t)count * sizeof(double));
  diagram.command = 0;
  return send_frame(&diagram.link, REPLY, numbers, (size_t)(3 + count) * sizeof(double));
}

/* Store the inputs of a step (three rows of a time and all inputs) or of another command (one row, or none). */
static int take_inputs(int inputs) {
  const double* const numbers = diagram.link.numbers;
  const int rows = (int)numbers[3];
  if (diagram.link.size != (size_t)(4 + rows * (inputs + 1)) * sizeof(double)) {
    return lose(&diagram.link, "the number of inputs received does not match this block");
  }
  if (inputs == 0 || rows == 0) return 1;
  const double* const row = numbers + 4;
  const double* const last = row + (rows - 1) * (inputs + 1);
  const double* const second = rows > 1 ? row + inputs + 1 : row;
  diagram.line_time = row[0];
  for (int i = 1; i <= inputs; ++i) {
    diagram.at_event[i - 1] = last[i];
    diagram.line[i - 1] = row[i];
    diagram.slope[i - 1] = rows > 1 ? (second[i] - row[i]) / (second[0] - row[0]) : 0.0;
  }
  return 1;
}

/* Wait for the next run, or for the end. */
static int await_start(void) {
  while (receive_frame(&diagram.link)) {
    if (diagram.link.kind == BYE) {
      close(diagram.link.socket);
      diagram.link.socket = -1;
      return 1;
    }
    diagram.command = diagram.link.kind;
    diagram.start = diagram.link.numbers[0];
    if (diagram.command == START) return 1;
    if (!reply(diagram.start, NULL, 0)) return 0; /* the end of a run that failed */
  }
  return 0;
}

/* Take the next command; return the simulated time in s after which to answer it, -1 for never. */
static double next_command(int inputs) {
  if (!receive_frame(&diagram.link)) return -1.0;
  diagram.command = diagram.link.kind;
  diagram.t = diagram.link.numbers[0];
  diagram.t_end = diagram.link.numbers[1];
  switch (diagram.command) {
    case STEP:
    case OUTPUT:
      if (!take_inputs(inputs)) return -1.0;
      return diagram.command == STEP ? diagram.t_end - diagram.start - get_scicos_time() : 0.0;
    case FINISH:
      if (reply(diagram.t, NULL, 0)) await_start();
      end_scicos_sim();
      return -1.0;
    default:
      lose(&diagram.link, "received a frame that is not a command");
      return -1.0;
  }
}

/* Answer the start of a run and take its first command here already: diagrams are evaluated before their first event.
 */
static void begin_run(scicos_block* block, int inputs) {
  char text[MOST_BYTES];
  int i;
  for (i = 0; i < GetNipar(block) && i < MOST_BYTES - (int)sizeof ASK; ++i) text[i] = (char)GetIparPtrs(block)[i];
  strcpy(text + i, ASK);
  if (diagram.link.socket < 0) {
    if (!join(&diagram.link) || !send_frame(&diagram.link, PORTS, text, strlen(text)) || !await_start()) return;
    if (diagram.link.socket < 0) return (void)lose(&diagram.link, "the master closed the connection before a run");
  }
  memset(diagram.slope, 0, sizeof diagram.slope);
  memset(diagram.line, 0, sizeof diagram.line);
  memset(diagram.at_event, 0, sizeof diagram.at_event);
  if (!reply(diagram.start, NULL, 0) || next_command(inputs) >= 0.0 || diagram.link.socket < 0) return;
  Coserror("counterpoint: the run ended before its first step"); /* the connection stays for the next one */
}

static int width(const int* sizes, int count) { return count > 0 ? sizes[0] : 0; }

void counterpoint_subsystem(scicos_block* block, int flag) {
  const int inputs = width(block->outsz, block->nout), outputs = width(block->insz, block->nin);
  if (inputs > MOST_SIGNALS || outputs > MOST_SIGNALS)
    return Coserror("counterpoint: more than %d signals", MOST_SIGNALS);
  if (flag == Initialization) begin_run(block, inputs);
  if (flag == OutputUpdate && inputs > 0) {
    double* const u = GetRealOutPortPtrs(block, 1);
    const double since = diagram.start + get_scicos_time() - diagram.line_time;
    for (int i = 0; i < inputs; ++i) {
      u[i] = block->nevprt > 0 ? diagram.at_event[i] : diagram.line[i] + diagram.slope[i] * since;
    }
  }
  if (flag == OutputEventTiming && diagram.link.socket >= 0) { /* all outputs of the diagram at this event are there */
    const double* const y = outputs > 0 ? GetRealInPortPtrs(block, 1) : NULL;
    const double left = diagram.t_end - diagram.start - get_scicos_time();
    block->evout[0] = left; /* at the first event, when a step is under way */
    if (diagram.command != STEP || left < 0.5 * (diagram.t_end - diagram.t)) {
      block->evout[0] = reply(diagram.t_end, y, outputs) ? next_command(inputs) : -1.0;
    }
  }
  if (flag == Ending && diagram.link.socket >= 0 && diagram.command != START && diagram.command != 0) {
    const char text[] = "solver\tXcos stopped within this step; see its window or output for the reason";
    diagram.command = 0;
    if (send_frame(&diagram.link, ERROR, text, sizeof text - 1)) await_start();
  }
}

/* ---- A served model is a block -------------------------------------------------------------------------------- */

static struct {
  struct link link;
  int inputs, outputs;       /* number of doubles */
  int begins, feeds_through; /* needs `begin`; needs its inputs to compute outputs */
  int shares_count;
  double shares[MOST_SHARES];   /* of a step, at which it needs its inputs */
  double t, t_end, reached;     /* of the last step; how far the model got in it */
  double u[MOST_SIGNALS];       /* held over a step */
  double before[MOST_SIGNALS];  /* outputs at t */
  double y[MOST_SIGNALS];       /* outputs at t_end */
  int from_block[MOST_SIGNALS]; /* place in u of each signal that enters the block */
  int to_block[MOST_SIGNALS];   /* place in y of each signal that leaves it */
} model = {.link = {.socket = -1}};

/* The next word of a line of ports, or NULL; the tab behind it becomes its end. */
static char* next_word(char** rest) {
  char* const word = *rest;
  char* const tab = word == NULL ? NULL : strchr(word, '\t');
  if (tab != NULL) *tab = '\0';
  *rest = tab == NULL ? NULL : tab + 1;
  return word;
}

/* Read the line of an input or output behind its first word: name, width, unit, values; note where it has its place in
 * the block, if `wanted`, the names of the block's signals of this kind in lines, has it. */
static void read_port(char* line, const char* wanted, int* count, int* places, double* start) {
  const char *const name = next_word(&line), *const wide = next_word(&line);
  const int width = wide == NULL ? 1 : atoi(wide);
  next_word(&line); /* the unit */
  int port = 0;
  size_t length = strlen(name);
  for (const char* at = wanted; *at != '\0'; at = strchr(at, '\n') + 1, ++port) {
    if (width == 1 && strncmp(at, name, length) == 0 && at[length] == '\n') places[port] = *count;
  }
  for (int i = 0; i < width && *count < MOST_SIGNALS; ++i, ++*count) {
    const char* const value = next_word(&line);
    if (start != NULL) start[*count] = value == NULL ? 0.0 : atof(value);
  }
}

static void read_ports(char* text, const char* inputs, const char* outputs) {
  char* state;
  model.inputs = model.outputs = model.begins = model.feeds_through = 0;
  model.shares_count = 1;
  model.shares[0] = 0.0;
  for (char* line = strtok_r(text, "\n", &state); line != NULL; line = strtok_r(NULL, "\n", &state)) {
    if (strncmp(line, "input\t", 6) == 0) read_port(line + 6, inputs, &model.inputs, model.from_block, model.u);
    if (strncmp(line, "output\t", 7) == 0) read_port(line + 7, outputs, &model.outputs, model.to_block, NULL);
    if (strcmp(line, "can\tbegin") == 0) model.begins = 1;
    if (strncmp(line, "feedthrough\t", 12) == 0 || strncmp(line, "initial feedthrough\t", 20) == 0)
      model.feeds_through = 1;
  }
}

/* Read the reply to a command: time reached, next step, shares, outputs. */
static int take_reply(void) {
  const double* const numbers = model.link.numbers;
  const int count = (int)(model.link.size / sizeof(double)), wishes = count < 3 ? -1 : (int)numbers[2];
  const int outputs = count - 3 - wishes;
  if (wishes < 0 || wishes > MOST_SHARES || (outputs != 0 && outputs != model.outputs)) {
    return lose(&model.link, "received an invalid reply");
  }
  model.reached = numbers[0];
  if (wishes > 0) memcpy(model.shares, numbers + 3, (size_t)wishes * sizeof(double));
  if (wishes > 0) model.shares_count = wishes;
  if (outputs > 0) memcpy(model.y, numbers + 3 + wishes, (size_t)outputs * sizeof(double));
  return 1;
}

/* Send a command with the held inputs, answer the requests of the model, read its reply. */
static int command(uint32_t kind, double t, double t_end, int rows) {
  static double numbers[4 + MOST_SHARES * (1 + MOST_SIGNALS)];
  double* at = numbers + 4;
  if (model.inputs == 0) rows = 0;
  numbers[0] = t;
  numbers[1] = t_end;
  numbers[3] = rows;
  for (int row = 0; row < rows; ++row) {
    const double share = model.shares[row];
    *at++ = share == 1.0 ? t_end : t + share * (t_end - t);
    memcpy(at, model.u, (size_t)model.inputs * sizeof(double));
    at += model.inputs;
  }
  if (!send_frame(&model.link, kind, numbers, (size_t)(at - numbers) * sizeof(double))) return 0;
  while (receive_frame(&model.link)) {
    if (model.link.kind == REPLY) return take_reply();
    if (model.link.kind == ERROR) { /* kind, tab, text */
      const char* const tab = strchr(model.link.bytes, '\t');
      return lose(&model.link, tab == NULL ? model.link.bytes : tab + 1);
    }
    if (model.link.kind != REQUEST) return lose(&model.link, "received a frame that is not an answer");
    if (!send_frame(&model.link, VALUES, model.u, (size_t)model.inputs * sizeof(double))) return 0;
  }
  return 0;
}

/* Report the signals of the block that the model does not have. */
static int check_names(const char* kind, const char* names, const int* places) {
  char text[300];
  for (int port = 0; *names != '\0'; names = strchr(names, '\n') + 1, ++port) {
    if (places[port] >= 0) continue;
    snprintf(text, sizeof text, "the served model has no scalar %s \"%.*s\"", kind, (int)strcspn(names, "\n"), names);
    return lose(&model.link, text);
  }
  return 1;
}

/* Connect, match names, and put the model at its start. The parameters of the block are two texts with an end each:
 * the names of its inputs and those of its outputs, a line each. */
static int begin_model(scicos_block* block) {
  char names[MOST_BYTES + 2] = {0};
  for (int i = 0; i < GetNipar(block) && i < MOST_BYTES; ++i) names[i] = (char)GetIparPtrs(block)[i];
  const char *const inputs = names, *const outputs = names + strlen(names) + 1;
  if (!join(&model.link) || !receive_frame(&model.link)) return 0;
  if (model.link.kind != PORTS) return lose(&model.link, "the other program does not serve a model");
  for (int i = 0; i < MOST_SIGNALS; ++i) model.from_block[i] = model.to_block[i] = -1;
  read_ports(model.link.bytes, inputs, outputs);
  if (model.inputs == MOST_SIGNALS || model.outputs == MOST_SIGNALS)
    return lose(&model.link, "the model has too many signals");
  if (!check_names("input", inputs, model.from_block) || !check_names("output", outputs, model.to_block)) return 0;
  model.t = model.t_end = 0.0;
  return command(START, 0.0, 0.0, 0) && (!model.begins || command(BEGIN, 0.0, 0.0, 1)) &&
         command(OUTPUT, 0.0, 0.0, model.feeds_through);
}

/* Advance the model from this event to the next with the inputs of this event. */
static int go_ahead(const double* u, int inputs, double step) {
  const double count = floor(model.t_end / step + 0.5);
  memcpy(model.before, model.y, sizeof model.y);
  for (int i = 0; i < inputs; ++i) model.u[model.from_block[i]] = u[i];
  model.t = model.t_end;
  model.t_end = (count + 1.0) * step;
  model.reached = model.t;
  while (model.reached < model.t_end) { /* a model with variable steps may stop early */
    if (!command(STEP, model.reached, model.t_end, model.shares_count)) return 0;
  }
  return 1;
}

void counterpoint_model(scicos_block* block, int flag) {
  const int inputs = width(block->insz, block->nin), outputs = width(block->outsz, block->nout);
  if (inputs > MOST_SIGNALS || outputs > MOST_SIGNALS)
    return Coserror("counterpoint: more than %d signals", MOST_SIGNALS);
  if (flag == Initialization && model.link.socket < 0) begin_model(block);
  if (flag == OutputUpdate && outputs > 0 && model.link.socket >= 0) {
    double* const y = GetRealOutPortPtrs(block, 1);
    const double span = model.t_end - model.t;
    const double share = block->nevprt > 0 || span == 0.0 ? 1.0 : (get_scicos_time() - model.t) / span;
    for (int i = 0; i < outputs; ++i) {
      const double before = model.before[model.to_block[i]], after = model.y[model.to_block[i]];
      y[i] = share == 1.0 ? after : before + share * (after - before);
    }
  }
  if (flag == OutputEventTiming && model.link.socket >= 0) { /* the inputs of this event are there */
    block->evout[0] = -1.0;
    if (go_ahead(inputs > 0 ? GetRealInPortPtrs(block, 1) : NULL, inputs, GetRparPtrs(block)[0])) {
      block->evout[0] = model.t_end - get_scicos_time();
    }
  }
  if (flag == Ending && model.link.socket >= 0) {
    if (command(FINISH, model.t_end, model.t_end, 0) && send_frame(&model.link, BYE, NULL, 0)) close(model.link.socket);
    model.link.socket = -1;
  }
}
