/* the start of an Arm MPS2 board with a Cortex-M7, as QEMU emulates it, and text to the emulator by semihosting */
#include <stdint.h>

extern int main(void);
extern char top_of_stack, start_of_bss, end_of_bss;

static long semihost(long operation, const void *argument) {
    register long r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void put_line(const char *text) { semihost(4, text); }

void reset(void) {
    *(volatile uint32_t *)0xe000ed88 |= 0xf << 20; /* the unit of floating point */
    __asm__ volatile("dsb\nisb");
    for (char *byte = &start_of_bss; byte < &end_of_bss; byte++)
        *byte = 0;
    const long status = main();
    const long report[2] = {0x20026, status};
    semihost(0x20, report);
    for (;;)
        ;
}

static void fault(void) {
    put_line("fault\n");
    const long report[2] = {0x20026, 99};
    semihost(0x20, report);
    for (;;)
        ;
}

__attribute__((section(".vectors"), used))
const void *const vectors[16] = {&top_of_stack, (void *)reset, (void *)fault, (void *)fault, (void *)fault, (void *)fault, (void *)fault};
