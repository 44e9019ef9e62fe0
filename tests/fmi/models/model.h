/* What a test model gives to the shims of FMI 2 and FMI 3: a table of variables in one block of memory, and functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  FLOAT64,
  FLOAT32,
  INT8,
  UINT8,
  INT16,
  UINT16,
  INT32,
  UINT32,
  INT64,
  UINT64,
  BOOLEAN,
  STRING,
  BINARY,
  CLOCK
} Type;

enum { TEXT = 64 }; /* bytes of a string or a binary value; its memory begins with the text, a size_t length follows */
typedef struct {
  char bytes[TEXT];
  size_t size;
} Text;

typedef struct {
  Type type;
  size_t offset;       /* in the block of values */
  size_t count;        /* how many elements there is room for */
  size_t count_offset; /* where the number of elements stands (a uint64_t), or 0 when it is `count` */
  bool is_input;
  bool is_discrete; /* a float that may change at events only, as all other types */
} Variable;

#define SCALAR(TYPE, VALUES, MEMBER) {TYPE, offsetof(VALUES, MEMBER), 1, 0, false, false}
#define INPUT(TYPE, VALUES, MEMBER) {TYPE, offsetof(VALUES, MEMBER), 1, 0, true, false}
#define DISCRETE_INPUT(TYPE, VALUES, MEMBER) {TYPE, offsetof(VALUES, MEMBER), 1, 0, true, true}

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef enum { INSTANTIATED, CONFIGURATION, INITIALIZATION, STEP, EVENT, CONTINUOUS, TERMINATED, FAILED } Mode;

typedef struct Instance Instance;
typedef struct {
  bool event; /* of a step: it waits to be handled; of an event: it changed continuous states */
  bool terminate;
  bool early;
  double reached;
  bool again; /* from here on: of an event */
  bool nominals_changed;
  bool has_next;
  double next_event;
} StepEnd;

struct Instance {
  void* values;
  double time;
  double length; /* of the step under way */
  Mode mode;
  bool co_simulation;
  bool event_mode;   /* events between steps are the importer's business */
  bool early_return; /* a step may end early */
  bool logging;
  bool may_be_restored; /* the importer may set states before this step back */
  bool inputs_changed;  /* since the last step: outputs may not be read in step mode */
  StepEnd last;
  double event_time; /* of the last event: the time must not go back behind it */
  void (*log)(Instance*, Status, const char* category, const char* format, ...);
  /* as it is: pointers of the caller, and status error */
  void (*log_raw)(void* environment, void* callback, const char* category, const char* message);
  void (*ask_inputs)(Instance*, double time); /* intermediate update, or null */
  void* environment;
  void* callbacks[2]; /* of the shim */
  const char* token;
  char resources[1024];   /* folder, with a separator at its end */
  char categories[8][32]; /* of messages that are logged; none: all */
  size_t category_count;
};

typedef struct {
  const char* token;
  size_t size;               /* of the block of values */
  const Variable* variables; /* the value reference is the index; 0 is the time */
  size_t variable_count;
  size_t states;
  size_t indicators;
  const size_t* state_offsets;      /* of doubles in the block */
  size_t (*state_count)(Instance*); /* where it is no constant; or null */
  void (*reset)(void* values);
  Status (*calculate)(Instance*);                     /* outputs from states, inputs and time */
  Status (*advance)(Instance*, double end, StepEnd*); /* a step from instance->time */
  Status (*handle_event)(Instance*, StepEnd*);
  Status (*instantiated)(Instance*); /* may refuse; or null */
  Status (*save)(Instance*);         /* may refuse; or null */
  void (*freed)(Instance*);          /* or null */
  void (*derivatives)(Instance*, double*);
  Status (*evaluable)(Instance*);              /* may discard the evaluation of derivatives; or null */
  Status (*completed)(Instance*, bool* event); /* of a step of the integrator; or null */
  void (*nominals)(Instance*, double*);        /* or null: all 1 */
  void (*indicate)(Instance*, double*);
  bool (*accessible)(Instance*, unsigned reference); /* clocked variables: only while a clock is active; or null */
  Status (*set_clock)(Instance*, unsigned reference);
  int (*get_interval)(Instance*, unsigned reference, double*); /* qualifier */
  double (*get_shift)(Instance*, unsigned reference);
  double (*partial)(Instance*, unsigned unknown, unsigned known);
  double (*slope)(Instance*, unsigned output);
  void (*set_slope)(Instance*, unsigned input, double slope);
} Definition;

extern const Definition definition;

/* shared by the shims: model_access.c */
Instance* make_instance(const char* token);
void free_instance(Instance*);
void reset_instance(Instance*);
Status enter(Instance*, const char* function, unsigned allowed_modes);
Status access_variable(Instance*, const char* function, unsigned reference);
Status get_values(Instance*, const char* function, Type, const unsigned* references, size_t n, void* out, size_t count);
Status set_values(Instance*, const char* function, Type, const unsigned* references, size_t n, const void* in,
                  size_t count);
size_t size_of(Type);
size_t count_of(const Instance*, const Variable*);
const Variable* find(Instance*, const char* function, Type, unsigned reference);
Status do_step(Instance*, double now, double step, StepEnd*);
Status set_time(Instance*, const char* function, double);
Status get_derivatives(Instance*, const char* function, double*);
size_t count_states(Instance*);
void choose_categories(Instance*, bool on, size_t n, const char* const* categories);
bool is_logged(const Instance*, Status, const char* category);
Status get_states(Instance*, double*);
Status set_states(Instance*, const double*);
Status get_nominals(Instance*, double*, size_t n);
Status get_indicators(Instance*, double*, size_t n);
Status get_slopes(Instance*, const unsigned* references, size_t n, const int* orders, double*);
Status save_state(Instance*, void** state);
Status restore_state(Instance*, const void* state);
Status free_state(void** state);
size_t size_of_state(void);
Status read_state(const void* bytes, size_t size, void** state);

#define IN(MODE) (1u << (MODE))
#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
