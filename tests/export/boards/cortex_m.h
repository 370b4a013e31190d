/* A Cortex-M under QEMU: output by semihosting, time by SysTick, which follows the number of instructions with -icount. */
#include <stdint.h>

#define SYST ((volatile uint32_t *)0xE000E010)
#define board_float(p) (*(p))

static void semihost(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void board_print(const char *text) { semihost(4, text); }
static void board_stop(void) { semihost(0x18, (const void *)0x20026); }
static uint32_t wraps;

void SysTick_Handler(void) { wraps++; }

static void board_start(void)
{
    SYST[1] = 0xffffff;
    SYST[2] = 0;
    SYST[0] = 7;
    while (SYST[2] == 0)
        ;
}

static uint32_t board_ticks(void) { return wraps * 0x1000000u + (0xffffff - SYST[2]); }

/* Two instructions a turn. */
static void board_loop(uint32_t turns)
{
    __asm__ volatile(".syntax unified\n1: subs %0, %0, #1\nbne 1b\n" : "+l"(turns) : : "cc");
}

int main(void);
extern uint32_t data_from, data_start, data_end, bss_start, bss_end, stack_top;

void Reset_Handler(void)
{
    uint32_t *from = &data_from;
    for (uint32_t *to = &data_start; to < &data_end; to++)
        *to = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end; to++)
        *to = 0;
#if defined(__ARM_FP)
    *(volatile uint32_t *)0xE000ED88 |= 0xfu << 20;
    __asm__ volatile("dsb\nisb");
#endif
    main();
    for (;;)
        ;
}

static void stuck(void)
{
    semihost(4, "fault\n");
    semihost(0x18, (const void *)0x20024);
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))&stack_top, Reset_Handler, stuck, stuck, stuck, stuck, stuck, 0, 0, 0, 0, stuck, stuck, 0, stuck, SysTick_Handler,
};
