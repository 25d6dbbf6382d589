#include "scales.h"

#include "elementary.h"

double largest_in_scales(const Model *model, const double *y, int first, int n) {
    double found = 0;
    for (int i = first; i < first + n; i++)
        found = fmax(found, fabs(y[i]) / scale_of_y(model, i));
    return found;
}
