#include "lu.h"

#include "elementary.h"
#include "vectors.h"

#include <stddef.h>

static void exchange(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

int factor_lu(int n, double *A, int *pivots) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        double size = fabs(A[(size_t)k * (size_t)n + k]);
        for (int i = k + 1; i < n; i++) {
            double other = fabs(A[(size_t)i * (size_t)n + k]);
            if (other > size) {
                pivot = i;
                size = other;
            }
        }
        pivots[k] = pivot;
        double *row = A + (size_t)k * (size_t)n, largest = A[(size_t)pivot * (size_t)n + k];
        if (!isfinite(largest) || largest == 0)
            return k;
        for (int j = 0; pivot != k && j < n; j++)
            exchange(row + j, A + (size_t)pivot * (size_t)n + j);
        for (int i = k + 1; i < n; i++) {
            double *other = A + (size_t)i * (size_t)n, factor = other[k] /= row[k];
            if (factor != 0)
                add_multiple_apart(n - k - 1, other + k + 1, -factor, row + k + 1);
        }
    }
    return -1;
}

void solve_lu(int n, const double *factors, const int *pivots, double *b) {
    for (int k = 0; k < n; k++)
        if (pivots[k] != k)
            exchange(b + k, b + pivots[k]);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            b[i] -= factors[(size_t)i * (size_t)n + j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= factors[(size_t)i * (size_t)n + j] * b[j];
        b[i] /= factors[(size_t)i * (size_t)n + i];
    }
}
