#include "lu.h"

#include "elementary.h"
#include "vectors.h"

#include <stddef.h>

static void exchange(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

int factor_lu(int size, double *A, int *pivots) {
    const size_t n = (size_t)size;
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        double largest_size = fabs(A[k * n + k]);
        for (size_t i = k + 1; i < n; i++) {
            double other = fabs(A[i * n + k]);
            if (other > largest_size) {
                pivot = i;
                largest_size = other;
            }
        }
        pivots[k] = (int)pivot;
        double *row = A + k * n, largest = A[pivot * n + k];
        if (!isfinite(largest) || largest == 0)
            return (int)k;
        for (size_t j = 0; pivot != k && j < n; j++)
            exchange(row + j, A + pivot * n + j);
        for (size_t i = k + 1; i < n; i++) {
            double *other = A + i * n, factor = other[k] /= row[k];
            if (factor != 0)
                add_multiple_apart(size - (int)k - 1, other + k + 1, -factor, row + k + 1);
        }
    }
    return -1;
}

void solve_lu(int size, const double *factors, const int *pivots, double *b) {
    const size_t n = (size_t)size;
    for (size_t k = 0; k < n; k++)
        if (pivots[k] != (int)k)
            exchange(b + k, b + pivots[k]);
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++)
            b[i] -= factors[i * n + j] * b[j];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            b[i] -= factors[i * n + j] * b[j];
        b[i] /= factors[i * n + i];
    }
}
