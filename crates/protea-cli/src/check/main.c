#define UPPER_IMPLEMENTATION
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Microseconds of a query, then the class of each row of rows.bin. */
int main(void)
{
    FILE *file = fopen("rows.bin", "rb");
    size_t row = sizeof(REAL) * UPPER_FEATURES, n;
    REAL *x;
    int *answers;
    clock_t start;
    if (!file)
        return 1;
    fseek(file, 0, SEEK_END);
    n = (size_t)ftell(file) / row;
    rewind(file);
    x = (REAL *)malloc(n * row);
    answers = (int *)malloc(n * sizeof *answers);
    if (!x || !answers || fread(x, row, n, file) != n)
        return 1;
    start = clock();
    for (size_t i = 0; i < n; i++)
        answers[i] = LOWER_predict(x + i * UPPER_FEATURES);
    printf("%g\n", 1e6 * (double)(clock() - start) / CLOCKS_PER_SEC / (double)n);
    for (size_t i = 0; i < n; i++)
        printf("%d\n", answers[i]);
    return 0;
}
