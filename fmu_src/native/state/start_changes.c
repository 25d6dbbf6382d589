#include "start_changes.h"

#include "elementary.h"

#include <stddef.h>

int largest_change(int n, const double *given, const double *now, const double *scales, double least, int of_speeds) {
    double most = least;
    int largest = -1;
    for (int i = 0; i < n; i++) {
        double change = fabs(now[i] - given[i]) / ((scales ? scales[i] : 1) + fabs(given[i]));
        if (change > most && !(of_speeds && given[i] == 0)) {
            most = change;
            largest = i;
        }
    }
    return largest;
}

void mobod_largest_changes(int n_rows, int n, const double *given, const double *now, const double *scales, double least, int of_speeds,
                           int *largest) {
    for (int i = 0; i < n_rows; i++)
        largest[i] = largest_change(n, given + (size_t)i * (size_t)n, now + (size_t)i * (size_t)n, scales, least, of_speeds);
}
