/* Small linear systems. The same for every model that mstmm writes. */
#ifndef MSTMM_SOLVE_H
#define MSTMM_SOLVE_H

#include <math.h>

/* Writes numbers side by side: a moment and a force, or a matrix row by row */
static inline void mstmm_put_6(double *to, double a, double b, double c, double d, double e, double f)
{
    to[0] = a, to[1] = b, to[2] = c, to[3] = d, to[4] = e, to[5] = f;
}

static inline void mstmm_put_16(double *to, double a, double b, double c, double d, double e, double f,
                                double g, double h, double i, double j, double k, double l,
                                double m, double n, double o, double p)
{
    to[0] = a, to[1] = b, to[2] = c, to[3] = d, to[4] = e, to[5] = f, to[6] = g, to[7] = h;
    to[8] = i, to[9] = j, to[10] = k, to[11] = l, to[12] = m, to[13] = n, to[14] = o, to[15] = p;
}

/* x := A^-1 x for n unknowns and m columns, LU with partial pivoting; overwrites A. */
static inline void mstmm_solve_lu(int n, int m, double *A, double *x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) {
                best = i;
            }
        }
        for (int j = k; j < n; j++) {
            const double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = swap;
        }
        for (int j = 0; j < m; j++) {
            const double swap = x[k * m + j];
            x[k * m + j] = x[best * m + j];
            x[best * m + j] = swap;
        }
        const double pivot = 1.0 / A[k * n + k];
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] * pivot;
            for (int j = k + 1; j < n; j++) {
                A[i * n + j] -= factor * A[k * n + j];
            }
            for (int j = 0; j < m; j++) {
                x[i * m + j] -= factor * x[k * m + j];
            }
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = 0; j < m; j++) {
            double value = x[k * m + j];
            for (int i = k + 1; i < n; i++) {
                value -= A[k * n + i] * x[i * m + j];
            }
            x[k * m + j] = value / A[k * n + k];
        }
    }
}

/* What a solve of minimum norm has met since mstmm_forget(): numbers of a workspace, of each solve its
 * own, which may begin with any. The least pivot, as a part of its reach; the largest that was taken
 * for zero, as a part of its scale; and how many unknowns the equations determined, at least: where
 * loops come to a singular position, the first goes to zero, and then the last falls. Where loops are
 * slightly open, conditions that follow from the others seem to be conditions of their own: pivots up
 * to the floor are taken for zero where a motion has set one, which a number says that no workspace
 * holds by chance. */
enum { MSTMM_LEAST, MSTMM_DROPPED, MSTMM_RANK, MSTMM_FLOOR, MSTMM_BOUNDED, MSTMM_MET };
#define MSTMM_IS_BOUNDED 9.430732415617653e-24

static inline void mstmm_forget(double *met)
{
    met[MSTMM_LEAST] = 1.0;
    met[MSTMM_DROPPED] = 0.0;
    met[MSTMM_RANK] = HUGE_VAL;
}

static inline void mstmm_meet(double *met, double least, double dropped, int rank)
{
    met[MSTMM_LEAST] = least < met[MSTMM_LEAST] ? least : met[MSTMM_LEAST];
    met[MSTMM_DROPPED] = dropped > met[MSTMM_DROPPED] ? dropped : met[MSTMM_DROPPED];
    met[MSTMM_RANK] = rank < met[MSTMM_RANK] ? rank : met[MSTMM_RANK];
}

/* Is a pivot, as a part of its reach, one of a condition of its own? */
static inline int mstmm_counts(const double *met, double part)
{
    return part > (met[MSTMM_BOUNDED] == MSTMM_IS_BOUNDED ? met[MSTMM_FLOOR] : 0.0);
}

/* What a diagonal entry is measured by: what it was before anything was taken off, or 1e-07 of
 * what that would be if no position made it zero, its reach. Rounding that is measured by itself would
 * be a condition. Of n unknowns reach[2 n] has the reach of each, then what each was before. */
static inline double mstmm_scale(int n, int i, const double *reach)
{
    return reach[n + i] > 1e-07 * reach[i] ? reach[n + i] : 1e-07 * reach[i];
}

/* Is a pivot above what rounding may leave? Without a reach nothing can move. */
static inline int mstmm_is_firm(double pivot, int n, int i, const double *reach)
{
    return pivot > 1e-06 * mstmm_scale(n, i, reach) && reach[i] > 0.0;
}

/* x := A^-1 x for m columns, A symmetric, n by n, by L D L^T. Returns 0 and leaves x alone when a
 * pivot is not firm: then those after it are rounding that it divided; and where it counts for nothing.
 * It works in room[2 n n + n]. */
static inline int mstmm_solve_ldl(int n, int m, const double *A, double *x, const double *reach,
                                  double *met, double *room)
{
    double *const L = room, *const scaled = room + n * n, *const inverse = room + 2 * n * n;
    double smallest = 1.0, its_reach = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double value = A[i * n + j];
            for (int k = 0; k < j; k++) {
                value -= scaled[i * n + k] * L[j * n + k];
            }
            scaled[i * n + j] = value;
            L[i * n + j] = value * inverse[j];
        }
        double pivot = A[i * n + i];
        for (int k = 0; k < i; k++) {
            pivot -= scaled[i * n + k] * L[i * n + k];
        }
        if (!mstmm_is_firm(pivot, n, i, reach)) {
            return 0;
        }
        inverse[i] = 1.0 / pivot;
        if (pivot * its_reach < smallest * reach[i]) {
            smallest = pivot;
            its_reach = reach[i];
        }
    }
    const double part = smallest / its_reach;
    if (!mstmm_counts(met, part)) {
        return 0;
    }
    mstmm_meet(met, part, 0.0, n);
    for (int c = 0; c < m; c++) {
        for (int i = 1; i < n; i++) {
            for (int k = 0; k < i; k++) {
                x[i * m + c] -= L[i * n + k] * x[k * m + c];
            }
        }
        for (int i = n - 1; i >= 0; i--) {
            x[i * m + c] *= inverse[i];
            for (int k = i + 1; k < n; k++) {
                x[i * m + c] -= L[k * n + i] * x[k * m + c];
            }
        }
    }
    return 1;
}

/* Of mstmm_solve_min_norm, where a pivot is small; it works in room[n n + 2 n]. */
void mstmm_solve_by_rotations(int n, int m, double *A, double *x, const double *reach, double *met,
                              double *room);

/* x := least-squares solution of A x for m columns, A symmetric positive semidefinite, n by n, with
 * the least sum of s_i x_i^2, s_i the scale of A_ii; overwrites A. Where L D L^T finds a small pivot, A
 * is scaled to unit diagonal and solved by cyclic Jacobi rotations, eigenvalues below 1e-10 of
 * the largest, or of 1, taken for zero. It works in room[2 n n + 2 n]. */
static inline void mstmm_solve_min_norm(int n, int m, double *A, double *x, const double *reach,
                                        double *met, double *room)
{
    if (!mstmm_solve_ldl(n, m, A, x, reach, met, room)) {
        mstmm_solve_by_rotations(n, m, A, x, reach, met, room);
    }
}

/* x := A^-1 b for n unknowns. The factors are those of A with rows and columns scaled by powers
 * of two to entries of at most 1, rows exchanged for the largest pivot; `tile` columns at a
 * time stay close to the processor. Singular to working precision: x is not a number. */
void mstmm_solve_dense(
    int n, const double *A, const double *b, double *factors, double *scale, double *x);

/* Is none of n numbers infinite, or no number? */
static inline int mstmm_all_finite(int n, const double *x)
{
    int odd = 0; /* bits may be gathered in any order, sums may not */
    for (int i = 0; i < n; i++) {
        odd |= x[i] - x[i] != 0.0;
    }
    return !odd;
}

#endif
