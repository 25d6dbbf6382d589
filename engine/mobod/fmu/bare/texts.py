"""The generated files of a model in C: its header, the functions that the header declares, an example, and a page."""

from collections.abc import Iterator, Sequence

from mobod.fmu.bare.members import MemberStruct, StructMember, declarations
from mobod.version import mobod_version

FLAGS = "-std=c99 -O2 -ffp-contract=off -fno-math-errno"
"""With which the bits are those of the FMU."""


def header(identifier: str, groups: Sequence[MemberStruct], n_bytes: int, step: float) -> str:
    """The header of the model. n_bytes: of its memory, with pointers of 64 bits; step: s, of the example in its comment"""
    guard = f"MOBOD_{identifier.upper()}_H"
    structs = "\n\n".join("\n".join(declarations(group)) for group in groups)
    return f"""/* The model '{identifier}', made by mobod {mobod_version()}. README.md says how to compile and call it. */
#ifndef {guard}
#define {guard}

{structs}

/* The numbers that the model begins with: copy them, and change what differs. */
extern const model_Inputs model_default_inputs;
extern const model_Parameters model_default_parameters;
extern const model_Start model_default_start;

/* All memory of one model. {n_bytes} bytes are enough for pointers of 64 bits; model_bytes says how many were taken. */
#ifndef MODEL_BYTES
#define MODEL_BYTES {n_bytes}
#endif
typedef union {{
    double aligned;
    unsigned char bytes[MODEL_BYTES];
}} model_Memory;

/* what functions return; model_message describes all but MODEL_OK */
enum {{
    MODEL_OK,
    MODEL_WARNING,   /* done, though not quite as it was asked for */
    MODEL_DISCARDED, /* nothing has changed: a shorter step may succeed, or an event has ended the simulation */
    MODEL_ERROR      /* nothing has changed; after a step, begin again with model_init */
}};

/* Begin at a time, in s. parameters, start, inputs: NULL for the numbers of the model. outputs: at the start; NULL if they are not wanted.
 * Not two at once: it is the one function that uses a variable of the program. */
int model_init(model_Memory *memory, const model_Parameters *parameters, const model_Start *start, const model_Inputs *inputs,
               double time, model_Outputs *outputs);

/* Take one step of a length, in s, such as {step:g}, with constant inputs, and read the outputs at its end. NULL: inputs stay as they are;
 * outputs are not wanted. It allocates nothing and calls nothing but memcpy and memset. */
int model_step(model_Memory *memory, double step, const model_Inputs *inputs, model_Outputs *outputs);

/* Change parameters between steps. */
int model_set_parameters(model_Memory *memory, const model_Parameters *parameters);

double model_time(const model_Memory *memory);         /* s; NaN before a start */
const char *model_message(const model_Memory *memory); /* of the last call; "" if there is none */
unsigned long model_bytes(const model_Memory *memory); /* taken by the last start */

#endif
"""


def source(identifier: str, groups: Sequence[MemberStruct]) -> str:
    """The C file of the header's functions."""
    inputs, _outputs, parameters, start = groups
    tables = "\n".join(line for group in groups for line in _tables(group))
    defaults = "\n".join(f"const {each.type} model_default_{each.name} = {_numbers(each)};" for each in (inputs, parameters, start))
    return f"""/* Made by mobod: the functions of {identifier}.h. */
#include "{identifier}.h"
#include "bare_model.h"

{defaults}

{tables}

static int set(model_Memory *memory, const BareGroup *group, const void *numbers) {{
    const double *reals = numbers;
    return (int)bare_set(memory, group, reals, (const int *)(reals + group->n_reals));
}}

static int outputs_of(model_Memory *memory, model_Outputs *outputs, int status) {{
    if (status > MODEL_WARNING || !outputs)
        return status;
    double *reals = (double *)(void *)outputs;
    const int read = (int)bare_get(memory, &outputs_group, reals, (int *)(void *)(reals + outputs_group.n_reals));
    return read > status ? read : status;
}}

int model_init(model_Memory *memory, const model_Parameters *parameters, const model_Start *start, const model_Inputs *inputs,
               double time, model_Outputs *outputs) {{
    const BareGroup *const groups[3] = {{&parameters_group, &start_group, &inputs_group}};
    const double *const reals[3] = {{(const double *)(const void *)parameters, (const double *)(const void *)start,
                                    (const double *)(const void *)inputs}};
    const int *wholes[3];
    for (int i = 0; i < 3; i++)
        wholes[i] = reals[i] ? (const int *)(const void *)(reals[i] + groups[i]->n_reals) : 0;
    return outputs_of(memory, outputs, (int)bare_start(memory, sizeof *memory, time, groups, reals, wholes, 3));
}}

int model_step(model_Memory *memory, double step, const model_Inputs *inputs, model_Outputs *outputs) {{
    const int status = inputs ? set(memory, &inputs_group, inputs) : MODEL_OK;
    return status > MODEL_WARNING ? status : outputs_of(memory, outputs, (int)bare_step(memory, step));
}}

int model_set_parameters(model_Memory *memory, const model_Parameters *parameters) {{
    return set(memory, &parameters_group, parameters);
}}

double model_time(const model_Memory *memory) {{ return bare_time(memory); }}
const char *model_message(const model_Memory *memory) {{ return bare_message(memory); }}
unsigned long model_bytes(const model_Memory *memory) {{ return (unsigned long)bare_bytes(memory); }}
"""


def _numbers(group: MemberStruct) -> str:
    """An initializer with the start values."""
    values = [each.start for each in (*group.of("real"), *group.wholes)]
    return f"{{{', '.join(values) or '0'}}}"


def _tables(group: MemberStruct) -> Iterator[str]:
    """The value references of a group, and the group."""
    parts = {"reals": group.of("real"), "booleans": group.of("boolean"), "integers": group.of("integer")}
    for kind, members in parts.items():
        if members:
            yield f"static const unsigned {group.name}_{kind}[] = {{{_references(members)}}};"
    fields = ", ".join(f"{f'{group.name}_{kind}' if members else 0}, {len(members)}" for kind, members in parts.items())
    yield f"static const BareGroup {group.name}_group = {{{fields}}};\n"


def _references(members: Sequence[StructMember]) -> str:
    return ", ".join(str(each.reference) for each in members)


def example(identifier: str, groups: Sequence[MemberStruct], step: float) -> str:
    """A loop that steps the model."""
    inputs = groups[0]
    shown = f"    inputs.{inputs.members[0].name} = 0; /* from a converter or a bus */\n" if inputs.members else ""
    return f"""/* Steps the model {round(1 / step)} times a second.
 * Fill in what waits for the next tick, and what reads and writes signals. */
#include "{identifier}.h"

static model_Memory memory;

static int wait_for_next_tick(void) {{ return 0; /* of a timer; 0: stop */ }}

int main(void) {{
    model_Inputs inputs = model_default_inputs;
    model_Outputs outputs;
    int status = model_init(&memory, 0, 0, &inputs, 0.0, &outputs);
    while (status <= MODEL_WARNING && wait_for_next_tick()) {{
{shown}        status = model_step(&memory, {step!r}, &inputs, &outputs);
    }}
    return status;
}}
"""


def page(identifier: str, n_bytes: int, operations: str, step: float, *, in_one_file: bool) -> str:
    """README.md of the folder."""
    files = f"{identifier}.c" if in_one_file else f"-I sources sources/*.c {identifier}.c"
    return f"""# {identifier} in C

Made by mobod {mobod_version()}. `{identifier}.h` declares all that a program calls; `example.c` steps the model.

    cc {FLAGS} {files} example.c

With these options the numbers are those of the FMU of this model, to the last bit, on every processor with doubles of IEEE 754.
For a processor without an operating system, by ziglang:

    python -m ziglang cc -target thumb-freestanding-eabihf -mcpu=cortex_m7 {FLAGS} \\
        -ffunction-sections -c {files}

Link with `--gc-sections`, and with the linker script and the start of your processor. Of a C library, memcpy and memset are called
alone. The library of the compiler does arithmetic that the processor lacks. A processor without an instruction for square roots of
doubles computes them by integers; `-DMOBOD_OWN_SQRT=0` says that it has one.

- Memory: `model_Memory`, {n_bytes} bytes, less with pointers of 32 bits. There is no heap. Tables are constant, in read-only memory.
- {operations[0].upper()}{operations[1:]}.
- Steps allocate nothing. Take those of fixed length, such as {step:g} s: steps of error control take as long as they need.
- A program holds one model, and as many `model_Memory` of it as you like. Only model_init must not run twice at once.
"""
