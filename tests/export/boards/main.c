/* Answers of a model on a bare board: the class of each row, one in a line, then how long they took. */
#define MODEL_IMPLEMENTATION
#include "model.h"
#include "rows.h"
#include "board.h"

static void number(uint32_t n)
{
    char digits[12];
    int i = 11;
    digits[i] = 0;
    do {
        digits[--i] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    board_print(digits + i);
    board_print("\n");
}

int main(void)
{
    static int16_t answers[ROWS];
    float x[MODEL_FEATURES];
    uint32_t start, per_call;
    board_start();
    start = board_ticks();
    for (int i = 0; i < ROWS; i++) {
        for (int f = 0; f < MODEL_FEATURES; f++)
            x[f] = board_float(rows + i * MODEL_FEATURES + f);
        answers[i] = (int16_t)model_predict(x);
    }
    per_call = (board_ticks() - start) / ROWS;
    for (int i = 0; i < ROWS; i++)
        number((uint32_t)answers[i]);
    board_print("ticks ");
    number(per_call);
    board_print("known ");
    start = board_ticks();
    board_loop(100000);
    number(board_ticks() - start);
    board_stop();
    return 0;
}
