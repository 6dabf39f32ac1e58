/* Sine and cosine of any number, within 1 ulp; the numbers up to 1e5 in vectors. The polynomials
 * are of least relative error on [-pi/4, pi/4]. The same for every model that mstmm writes. */
#ifndef MSTMM_TRIG_H
#define MSTMM_TRIG_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double mstmm_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t mstmm_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Of y + rest, |y| <= pi/4, turned by n quadrants. */
static inline void mstmm_sincos_quadrant(uint64_t n, double y, double rest, double *sine, double *cosine)
{
    const double z = y * y;
    const double s = -0.16666666666666624 + z * (0.00833333333332004
        + z * (-0.00019841269827854834 + z * (2.7557312999438643e-06
        + z * (-2.505064775980011e-08 + z * 1.5890306642465823e-10))));
    const double c = 0.04166666666666658 + z * (-0.0013888888888870913
        + z * (2.4801587287419673e-05 + z * (-2.7557313742506487e-07
        + z * (2.0875638783359646e-09 + z * -1.1355203868579503e-11))));
    const double half = 0.5 * z;
    const double head = 1.0 - half;
    const uint64_t sn = mstmm_bits_of(y + (y * z * s + rest * head));
    const uint64_t cs = mstmm_bits_of(head + (z * z * c + (((1.0 - head) - half) - y * rest)));
    const uint64_t sign = (uint64_t)1 << 63;
    const uint64_t odd = -(n & 1), turns = n << 62;
    const uint64_t other = (sn ^ cs) & odd; /* exchanges both where n is odd */
    *sine = mstmm_of_bits(sn ^ other ^ (turns & sign));
    *cosine = mstmm_of_bits(cs ^ other ^ ((turns ^ odd) & sign));
}

/* |x| <= 1e5: x less n pi/2, with pi/2 in three parts. The products of n with the first two are
 * exact, and so is what the difference r loses. */
static inline void mstmm_sincos_near(double x, double *sine, double *cosine)
{
    const double shifted = x * 0.6366197723675814 + 6755399441055744.0;
    const double n = shifted - 6755399441055744.0;
    const double t = x - n * 1.5707963267341256;
    const double r = t - n * 6.077100506303966e-11;
    const double rest = ((t - r) - n * 6.077100506303966e-11) - n * 2.0222662487959506e-21;
    mstmm_sincos_quadrant(mstmm_bits_of(shifted), r, rest, sine, cosine);
}

/* Of x > 1e5. */
void mstmm_sincos_far(double x, double *sine, double *cosine);

static inline int mstmm_is_near(double x)
{
    return fabs(x) <= 1e5;
}

static inline void mstmm_sincos_of(double x, double *sine, double *cosine)
{
    if (mstmm_is_near(x)) {
        mstmm_sincos_near(x, sine, cosine);
    } else if (x - x == 0.0) {
        mstmm_sincos_far(fabs(x), sine, cosine);
        *sine = x < 0.0 ? -*sine : *sine;
    } else {
        *sine = *cosine = x - x;
    }
}

static inline double mstmm_sine_of(double x)
{
    double sine, cosine;
    mstmm_sincos_of(x, &sine, &cosine);
    return sine;
}

static inline double mstmm_cosine_of(double x)
{
    double sine, cosine;
    mstmm_sincos_of(x, &sine, &cosine);
    return cosine;
}

static inline void mstmm_sincos_part(int n, const double *restrict x, double *restrict sines, double *restrict cosines)
{
    int near = 0;
    for (int i = 0; i < n; i++) {
        mstmm_sincos_near(x[i], &sines[i], &cosines[i]);
        near += mstmm_is_near(x[i]);
    }
    for (int i = 0; near < n && i < n; i++) {
        mstmm_sincos_of(x[i], &sines[i], &cosines[i]);
    }
}

/* Of n numbers; of many in threads where the compiler is asked for them (-fopenmp) */
static inline void mstmm_sincos_all(int n, const double *restrict x, double *restrict sines, double *restrict cosines)
{
#if defined(_OPENMP)
    const int part = 4096;
    if (n > part) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < n; i += part) {
            mstmm_sincos_part(n - i < part ? n - i : part, &x[i], &sines[i], &cosines[i]);
        }
        return;
    }
#endif
    mstmm_sincos_part(n, x, sines, cosines);
}

#endif
