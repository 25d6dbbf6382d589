/* Steps a model, and prints the bits of its outputs: WALK_HEADER, WALK_STEP and WALK_INPUT(inputs, i) are given to the compiler. */
#include WALK_HEADER

#include <stddef.h>
#include <stdint.h>

void put_line(const char *text);
void *memcpy(void *to, const void *from, size_t n);

static model_Memory memory;

static void put_bits(double number) {
    char line[18] = {0};
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    for (int i = 0; i < 16; i++)
        line[i] = "0123456789abcdef"[bits >> (60 - 4 * i) & 15];
    line[16] = '\n';
    put_line(line);
}

static int ended(int status) {
    if (status != MODEL_OK) {
        put_line(model_message(&memory));
        put_line("\n");
    }
    return status > MODEL_WARNING;
}

int main(void) {
    model_Inputs inputs = model_default_inputs;
    model_Outputs outputs;
    const double *numbers = (const double *)(const void *)&outputs;
    int status = model_init(&memory, &model_default_parameters, &model_default_start, &inputs, 0.0, &outputs);
    for (int i = 0; !ended(status) && i < WALK_STEPS; i++) {
        WALK_INPUT(inputs, i);
        status = model_step(&memory, WALK_STEP, &inputs, &outputs);
        for (size_t k = 0; (i + 1) % (WALK_STEPS / 10) == 0 && k < sizeof outputs / sizeof(double); k++)
            put_bits(numbers[k]);
    }
    put_line(model_bytes(&memory) <= MODEL_BYTES ? "it fits\n" : "it does not fit\n");
    return status;
}
