#include "clipping.h"

/* Relative, of squared areas: of corners that are as good, the first one is dropped, so that round-off does not choose other points of
 * contact in each step, which have no impulses of the last one. */
static const double EQUAL = 1e-6;

/* corners of the feature as they are */
static int uncut(const Feature *face, const Feature *feature, CutCorner *out) {
    for (int k = 0; k < feature->n; k++) {
        copy3(out[k].x, feature->corners[k].x);
        out[k].share = 0;
        out[k].own = feature->corners[k].number;
        out[k].edge = feature->corners[k].edge;
        out[k].other = face->number;
        out[k].side = -1;
    }
    return feature->n;
}

int cut_feature(const Feature *face, const Feature *feature, double near, CutCorner *out) {
    if (face->kind == FEATURE_PLANE)
        return uncut(face, feature, out);
    if (face->kind == FEATURE_DISC || feature->kind == FEATURE_DISC)
        return cut_with_disc(face, feature, near, out);
    return cut_by_sides(face, feature, near, out);
}

/* The point where the edge from `from` to `to`, at heights of different sign over a side, crosses that side. */
static CutCorner crossing(const Feature *face, const Feature *feature, int side, const CutCorner *from, double height, const CutCorner *to,
                          double next_height) {
    CutCorner found = *from;
    double along = height / (height - next_height);
    for (int i = 0; i < 3; i++)
        found.x[i] = from->x[i] + along * (to->x[i] - from->x[i]);
    found.own = from->side < 0 ? from->edge : feature->number;
    if (from->side < 0)
        found.other = face->corners[side].edge;
    else /* on an earlier side: at the corner that both sides share */
        found.other = face->corners[from->side == 0 && side == face->n - 1 ? 0 : side].number;
    return found;
}

/* Cut by one side; `along` (3) points out of the face. Corners at heights up to `near` stay; so round-off does not split them. */
static int cut_by_side(const Feature *face, const Feature *feature, int side, const double *out_of, double near, const CutCorner *in, int n,
                       CutCorner *out) {
    int kept = 0, n_edges = feature->n > 2 ? n : n - 1;
    const double *origin = face->corners[side].x;
    double offset = dot3(out_of, origin), first = n ? dot3(out_of, in[0].x) - offset : 0, height = first;
    for (int i = 0; i < n; i++) {
        const CutCorner *here = &in[i], *next = &in[i + 1 < n ? i + 1 : 0];
        double next_height = i + 1 < n ? dot3(out_of, next->x) - offset : first;
        int is_in = height <= near, leaves = i < n_edges && is_in && next_height > near;
        if (is_in)
            out[kept++] = *here;
        if (leaves && height < 0)
            out[kept++] = crossing(face, feature, side, here, height, next, next_height);
        if (leaves) /* from here to where the polygon comes back its edge lies on the side */
            out[kept - 1].side = side;
        if (i < n_edges && !is_in && next_height < 0) {
            out[kept] = crossing(face, feature, side, here, height, next, next_height);
            out[kept].side = here->side;
            kept++;
        }
        height = next_height;
    }
    return kept;
}

/* Source: Sutherland & Hodgman, Reentrant polygon clipping, Communications of the ACM 17 (1974). */
int cut_by_sides(const Feature *face, const Feature *feature, double near, CutCorner *out) {
    CutCorner other[MOST_CUT], *from = other, *to = out;
    int n = uncut(face, feature, from);
    for (int side = 0; side < face->n && n; side++) {
        double edge[3], out_of[3];
        subtract3(edge, face->corners[side + 1 < face->n ? side + 1 : 0].x, face->corners[side].x);
        cross3(out_of, edge, face->normal);
        normalize3(out_of);
        n = cut_by_side(face, feature, side, out_of, near, from, n, to);
        CutCorner *swapped = from;
        from = to;
        to = swapped;
    }
    if (from == other)
        for (int k = 0; k < n; k++)
            out[k] = other[k];
    return n;
}

void set_depths(const Feature *face, CutCorner *corners, int n) {
    double from_face[3];
    for (int k = 0; k < n; k++) {
        subtract3(from_face, corners[k].x, face->origin);
        corners[k].depth = dot3(from_face, face->normal);
    }
}

double set_outline_shares(CutCorner *corners, int n) {
    double between[3], from[3], cross[3], area[3] = {0, 0, 0}, outline = 0;
    for (int k = 0; k < n; k++)
        corners[k].share = 0;
    for (int k = 0; k < n; k++) {
        CutCorner *next = &corners[k + 1 < n ? k + 1 : 0];
        subtract3(between, next->x, corners[k].x);
        const double side = length3(between);
        corners[k].share += side / 2;
        next->share += side / 2;
        outline += side;
        subtract3(from, corners[k].x, corners[0].x);
        cross3(cross, from, between);
        add3(area, 0.5, cross);
    }
    for (int k = 0; k < n; k++)
        corners[k].share = outline > 0 ? corners[k].share / outline : 1.0 / n;
    return outline > 0 ? 4 * length3(area) / outline : 0;
}

static void remove_corner(CutCorner *corners, int n, int at) {
    for (int k = at; k + 1 < n; k++)
        corners[k] = corners[k + 1];
}

int deepest_corner(const CutCorner *corners, int n) {
    int deepest = 0;
    for (int k = 1; k < n; k++)
        if (corners[k].depth < corners[deepest].depth)
            deepest = k;
    return deepest;
}

/* the first of the corners that are as deep as the deepest one, within a difference */
static int first_of_deepest(const CutCorner *corners, int n, double difference) {
    const double most = corners[deepest_corner(corners, n)].depth + difference;
    int first = 0;
    while (!(corners[first].depth <= most) && first + 1 < n)
        first++;
    return first;
}

int reduce_corners(CutCorner *corners, int n, double near, int most) {
    double between[3], after[3], area[3];
    for (int k = 0; k < n && n > 1;) {
        int next = k + 1 < n ? k + 1 : 0;
        subtract3(between, corners[next].x, corners[k].x);
        if (dot3(between, between) > near * near) {
            k++;
        } else {
            const int dropped = corners[next].depth < corners[k].depth ? k : next;
            corners[dropped == k ? next : k].share += corners[dropped].share;
            remove_corner(corners, n, dropped);
            n--;
        }
    }
    while (n > most) {
        int deepest = first_of_deepest(corners, n, near), dropped = deepest == 0;
        double least = (double)INFINITY;
        for (int k = 0; k < n; k++) {
            subtract3(between, corners[k].x, corners[k ? k - 1 : n - 1].x);
            subtract3(after, corners[k + 1 < n ? k + 1 : 0].x, corners[k].x);
            cross3(area, between, after);
            if (k != deepest && dot3(area, area) < (1 - EQUAL) * least) {
                least = dot3(area, area);
                dropped = k;
            }
        }
        corners[dropped ? dropped - 1 : n - 1].share += corners[dropped].share / 2;
        corners[dropped + 1 < n ? dropped + 1 : 0].share += corners[dropped].share / 2;
        remove_corner(corners, n--, dropped);
    }
    return n;
}
