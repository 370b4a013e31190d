/* An ATmega328P, the chip of an Arduino Uno, under simavr: output by the serial port, time by a counter of cycles. */
#include <avr/io.h>
#include <avr/interrupt.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>
#include <stdint.h>

#define board_float(p) pgm_read_float(p)

static volatile uint16_t wraps;

ISR(TIMER1_OVF_vect) { wraps++; }

static void board_start(void)
{
    UCSR0B = 1 << TXEN0;
    TIMSK1 = 1 << TOIE1;
    TCCR1B = 1 << CS10;
    sei();
}

static void board_print(const char *text)
{
    for (; *text; text++) {
        while (!(UCSR0A & (1 << UDRE0)))
            ;
        UDR0 = (uint8_t)*text;
    }
}

static uint32_t board_ticks(void)
{
    uint32_t now;
    cli();
    now = (uint32_t)wraps * 0x10000ul + TCNT1;
    sei();
    return now;
}

/* Cycles are counted as they are; nothing needs to be known. */
static void board_loop(uint32_t turns) { (void)turns; }

static void board_stop(void)
{
    while (!(UCSR0A & (1 << TXC0)))
        ;
    cli();
    sleep_enable();
    sleep_cpu();
}
