/* Riccati transfer matrix method, fast form: branch-pendulum
 *
 * Generated; each block names the equations it comes from.
 *
 * function            + -   * / sqrt other sincos stack tables loops tests
 * orientation           0   0 0    0     0      4    24      0     0     4
 * tips_to_root         67  91 2    0     5      0   696      0     0     0
 * root_to_tips         13  18 0    0     1      0   168      0     0     0
 * hinge_loads          12  12 0    0     8      0   136      0     0     0
 * end_states           27  34 0    0     9      0   240      0     0     0
 * places_poses          2   2 0    0     2      0    48      0     0     0
 * body_poses            6   2 0    0     6      0    56      0     0     0
 * places                3   6 0    0     3      0    88      0     0     0
 * energies             21  32 0    0     0      0   192      0     0     0
 * rates                 0   0 0    0     0      0     8      0     0     0
 * entry accelerations  80 109 2    0     6      4   696      0     0     4
 * entry joint_loads    92 121 2    0    14      4   696      0     0     4
 * entry end_states    107 143 2    0    15      4   696      0     0     4
 * entry poses           8   4 0    0     8      4    56      0     0     4
 * entry energy         24  38 0    0     3      4   192      0     0     4
 * entry rates           0   0 0    0     0      0     8      0     0     0
 * held from step to step: 544 bytes
 * One call each; an entry's is the sum of its steps' calls. sincos: pairs of a
 * sine and a cosine; other: signs and further elementary functions; stack, tables:
 * bytes; loops: how often the bodies of all loops run; tests: where the path
 * depends on numbers (range of an angle, step function); solves are named.
 */
#include "branch_pendulum.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static int all_finite(int n, const double *x)
{
    int odd = 0; /* bits may be gathered in any order, sums may not */
    for (int i = 0; i < n; i++) {
        odd |= x[i] - x[i] != 0.0;
    }
    return !odd;
}

/* Sine and cosine of any number, within 1 ulp; the numbers up to 1e5 in vectors. The
 * polynomials are of least relative error on [-pi/4, pi/4]. */

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Of y + rest, |y| <= pi/4, turned by n quadrants. */
static inline void sincos_quadrant(uint64_t n, double y, double rest, double *sine, double *cosine)
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
    const uint64_t sn = bits_of(y + (y * z * s + rest * head));
    const uint64_t cs = bits_of(head + (((1.0 - head) - half) + (z * z * c - y * rest)));
    const uint64_t odd = -(n & 1);
    *sine = of_bits(((cs & odd) | (sn & ~odd)) ^ (n & 2) << 62);
    *cosine = of_bits(((sn & odd) | (cs & ~odd)) ^ ((n + 1) & 2) << 62);
}

/* |x| <= 1e5: x less n pi/2, with pi/2 in three parts of which the products with n are exact. */
static inline void sincos_near(double x, double *sine, double *cosine)
{
    const double shifted = x * 0.6366197723675814 + 6755399441055744.0;
    const double n = shifted - 6755399441055744.0;
    const double t = x - n * 1.5707963267341256;
    const double w = n * 6.077100506303966e-11;
    const double r = t - w;
    const double back = r - t;
    const double rest = (t - (r - back)) - (w + back) - n * 2.0222662487959506e-21;
    const double y = r + rest;
    sincos_quadrant(bits_of(shifted), y, (r - y) + rest, sine, cosine);
}

/* 2/pi to 1280 bits */
static const uint32_t two_over_pi[40] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
    0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du};

/* x > 1e5: the product with 2/pi in whole numbers, of which only the bits that count are formed. */
static void sincos_far(double x, double *sine, double *cosine)
{
    const uint64_t bits = bits_of(x);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    const uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    const int skipped = exponent > 2 ? exponent - 2 : 0; /* they make whole turns */
    uint32_t product[8] = {0}, f[8]; /* least limb first */
    for (int part = 0; part < 2; part++) {
        const uint64_t factor = mantissa >> 32 * part & 0xffffffffu;
        uint64_t carry = 0;
        for (int i = 0; i < 6; i++) {
            const int at = skipped + 32 * (5 - i);
            const uint64_t next = at / 32 < 39 ? two_over_pi[at / 32 + 1] : 0;
            const uint64_t limb = ((uint64_t)two_over_pi[at / 32] << 32 | next) << at % 32 >> 32;
            carry += factor * limb + product[i + part];
            product[i + part] = (uint32_t)carry;
            carry >>= 32;
        }
        product[6 + part] = (uint32_t)carry;
    }
    /* moved so that the two leading bits count quadrants, then without them */
    uint64_t n = 0;
    for (int dropped = 0; dropped < 2; dropped++) {
        const int shift = dropped == 0 ? 62 + exponent - skipped : 2;
        for (int i = 7; i >= 0; i--) {
            const int from = i - shift / 32;
            const uint64_t high = from >= 0 ? product[from] : 0;
            const uint64_t low = from >= 1 ? product[from - 1] : 0;
            f[i] = (uint32_t)((high << 32 | low) << shift % 32 >> 32);
        }
        n = dropped == 0 ? f[7] >> 30 : n;
        memcpy(product, f, sizeof f);
    }
    const uint64_t past = f[7] >> 31; /* nearer to the next quadrant: seen from there */
    for (int i = 0; past && i < 8; i++) {
        f[i] = ~f[i];
    }
    double unit = past ? -0x1p-64 : 0x1p-64;
    int top = 7;
    for (; top > 3 && f[top] == 0; top--) {
        unit *= 0x1p-32;
    }
    const uint64_t first = (uint64_t)f[top] << 32 | f[top - 1];
    const uint64_t next = (uint64_t)f[top - 2] << 32 | f[top - 3];
    const double high = (double)(first & ~(uint64_t)0xfff) * unit;
    const double low = ((double)(first & 0xfff) + (double)next * 0x1p-64) * unit;
    /* times pi/2, in two parts */
    const double p = 1.5707963267948966, y = high * p;
    const double a = (double)(float)high, b = (double)(float)p;
    const double lost = ((a * b - y) + a * (p - b) + (high - a) * b) + (high - a) * (p - b);
    sincos_quadrant(n + past, y, lost + (high * 6.123233995736766e-17 + low * p), sine, cosine);
}

static inline int is_near(double x)
{
    return fabs(x) <= 1e5;
}

static void sincos_of(double x, double *sine, double *cosine)
{
    if (is_near(x)) {
        sincos_near(x, sine, cosine);
    } else if (x - x == 0.0) {
        sincos_far(fabs(x), sine, cosine);
        *sine = x < 0.0 ? -*sine : *sine;
    } else {
        *sine = *cosine = x - x;
    }
}

static inline double sine_of(double x)
{
    double sine, cosine;
    sincos_of(x, &sine, &cosine);
    return sine;
}

static inline double cosine_of(double x)
{
    double sine, cosine;
    sincos_of(x, &sine, &cosine);
    return cosine;
}

static inline void sincos_all(int n, const double *restrict x, double *restrict sines, double *restrict cosines)
{
    int near = 0;
    for (int i = 0; i < n; i++) {
        sincos_near(x[i], &sines[i], &cosines[i]);
        near += is_near(x[i]);
    }
    for (int i = 0; near < n && i < n; i++) {
        sincos_of(x[i], &sines[i], &cosines[i]);
    }
}

/* orientation of every body */
static void orientation(const double *restrict q, branch_pendulum_work *restrict w)
{
    {
        const double angles[8] = {q[0], q[1], q[2], q[3]};
        sincos_all(8, angles, w->sines, w->cosines);
    }
    /* 1: orientation of a body */
    {
        /* direction cosines of the body */
        const double c = w->cosines[0];
        const double s = w->sines[0];
        w->c[0] = c;
        w->s[0] = s;
    }
    /* 3: orientation of a body */
    {
        /* direction cosines of the body */
        const double c = w->cosines[1];
        const double s = w->sines[1];
        w->c[1] = c;
        w->s[1] = s;
    }
    /* 5: orientation of a body */
    {
        /* direction cosines of the body */
        const double c = w->cosines[2];
        const double s = w->sines[2];
        w->c[2] = c;
        w->s[2] = s;
    }
    /* 7: orientation of a body */
    {
        /* direction cosines of the body */
        const double c = w->cosines[3];
        const double s = w->sines[3];
        w->c[3] = c;
        w->s[3] = s;
    }
}

/* Riccati recursion, from the tips to the root */
static void tips_to_root(const double *restrict v, branch_pendulum_work *restrict w)
{
    /* 1: rigid body with no input, smooth hinge */
    {
        const double c = w->c[0];
        const double s = w->s[0];
        const double omega = v[0];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        /* first moment of mass about O */
        const double t = 0.5 * c;
        const double IA13 = 0.5 * s;
        /* force and moment balance about the output end, Riccati paper (4), (29), (30) */
        const double pA1 = w2 * t;
        const double pA2 = 9.81 + w2 * IA13;
        /* m = 0 at the hinge: Riccati paper (29), (30), completed */
        const double t_2 = 1.5 * s;
        const double Pb12 = 1.5 * c;
        const double Pb13 = 14.715 * c;
        const double IAh11 = 1.0 - IA13 * t_2;
        const double IAh12 = IA13 * Pb12;
        const double IAh22 = 1.0 - t * Pb12;
        const double pAh1 = pA1 + IA13 * Pb13;
        const double pAh2 = pA2 - t * Pb13;
        w->P11[0] = -t_2;
        w->P12[0] = Pb12;
        w->b[0] = Pb13;
        w->IAh11[0] = IAh11;
        w->IAh12[0] = IAh12;
        w->IAh22[0] = IAh22;
        w->pAh1[0] = pAh1;
        w->pAh2[0] = pAh2;
    }
    /* 3: rigid body with no input, smooth hinge */
    {
        const double c = w->c[1];
        const double s = w->s[1];
        const double omega = v[1];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        /* first moment of mass about O */
        const double t = 0.5 * c;
        const double IA13 = 0.5 * s;
        /* force and moment balance about the output end, Riccati paper (4), (29), (30) */
        const double pA1 = w2 * t;
        const double pA2 = 9.81 + w2 * IA13;
        /* m = 0 at the hinge: Riccati paper (29), (30), completed */
        const double t_2 = 1.5 * s;
        const double Pb12 = 1.5 * c;
        const double Pb13 = 14.715 * c;
        const double IAh11 = 1.0 - IA13 * t_2;
        const double IAh12 = IA13 * Pb12;
        const double IAh22 = 1.0 - t * Pb12;
        const double pAh1 = pA1 + IA13 * Pb13;
        const double pAh2 = pA2 - t * Pb13;
        w->P11[1] = -t_2;
        w->P12[1] = Pb12;
        w->b[1] = Pb13;
        w->IAh11[1] = IAh11;
        w->IAh12[1] = IAh12;
        w->IAh22[1] = IAh22;
        w->pAh1[1] = pAh1;
        w->pAh2[1] = pAh2;
    }
    /* 5: rigid body with one input, smooth hinge */
    {
        const double c = w->c[2];
        const double s = w->s[2];
        const double omega = v[2];
        const double IA_I1_11 = w->IAh11[1];
        const double IA_I1_12 = w->IAh12[1];
        const double IA_I1_22 = w->IAh22[1];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        /* first moment of mass about O */
        const double t = 0.5 * c;
        const double t_2 = 0.5 * s;
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double g_I1_1 = c * w2;
        const double g_I1_2 = s * w2;
        /* force and moment balance about the output end, Riccati paper (4), (29), (30) */
        const double T_I1_13 = s * IA_I1_11 - c * IA_I1_12;
        const double T_I1_23 = s * IA_I1_12 - c * IA_I1_22;
        const double y_I1_1 = IA_I1_12 * g_I1_2 + (w->pAh1[1] + IA_I1_11 * g_I1_1);
        const double y_I1_2 = IA_I1_22 * g_I1_2 + (w->pAh2[1] + IA_I1_12 * g_I1_1);
        const double IA11 = 1.0 + IA_I1_11;
        const double IA13 = t_2 + T_I1_13;
        const double IA22 = 1.0 + IA_I1_22;
        const double IA23 = T_I1_23 - t;
        const double IA33 = 0.3333333333333333 + s * T_I1_13 - c * T_I1_23;
        const double pA1 = y_I1_1 + w2 * t;
        const double pA2 = w2 * t_2 + (y_I1_2 + 9.81);
        /* m = 0 at the hinge: Riccati paper (29), (30), completed */
        const double t_3 = 1.0 / IA33;
        const double t_4 = IA13 * t_3;
        const double Pb12 = (t - T_I1_23) * t_3;
        const double Pb13 = (4.905 * c - (s * y_I1_1 - c * y_I1_2)) * t_3;
        const double IAh11 = IA11 - IA13 * t_4;
        const double IAh12 = IA_I1_12 + IA13 * Pb12;
        const double IAh22 = IA22 + IA23 * Pb12;
        const double pAh1 = pA1 + IA13 * Pb13;
        const double pAh2 = pA2 + IA23 * Pb13;
        w->P11[2] = -t_4;
        w->P12[2] = Pb12;
        w->b[2] = Pb13;
        w->IAh11[2] = IAh11;
        w->IAh12[2] = IAh12;
        w->IAh22[2] = IAh22;
        w->pAh1[2] = pAh1;
        w->pAh2[2] = pAh2;
    }
    /* 7: rigid body with 2 inputs, smooth hinge */
    {
        const double omega = v[3];
        const double IA_I1_11 = w->IAh11[0];
        const double IA_I1_12 = w->IAh12[0];
        const double IA_I1_22 = w->IAh22[0];
        const double IA_I2_11 = w->IAh11[2];
        const double IA_I2_12 = w->IAh12[2];
        const double IA_I2_22 = w->IAh22[2];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        /* r_P = r_O + A r′ */
        const double r_I2_1 = 0.5 * w->c[3];
        const double r_I2_2 = 0.5 * w->s[3];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double g_I1_1 = w2 * r_I2_1;
        const double g_I1_2 = w2 * r_I2_2;
        /* force and moment balance about the output end, Riccati paper (4), (29), (30) */
        const double T_I1_13 = IA_I1_11 * r_I2_2 - IA_I1_12 * r_I2_1;
        const double T_I1_23 = IA_I1_12 * r_I2_2 - IA_I1_22 * r_I2_1;
        const double y_I1_1 = IA_I1_12 * g_I1_2 + (w->pAh1[0] + IA_I1_11 * g_I1_1);
        const double y_I1_2 = IA_I1_22 * g_I1_2 + (w->pAh2[0] + IA_I1_12 * g_I1_1);
        const double T_I2_13 = IA_I2_12 * r_I2_1 - IA_I2_11 * r_I2_2;
        const double T_I2_23 = IA_I2_22 * r_I2_1 - IA_I2_12 * r_I2_2;
        const double y_I2_1 = w->pAh1[2] - IA_I2_11 * g_I1_1 - IA_I2_12 * g_I1_2;
        const double y_I2_2 = w->pAh2[2] - IA_I2_12 * g_I1_1 - IA_I2_22 * g_I1_2;
        const double IA11 = 1.0 + (IA_I1_11 + IA_I2_11);
        const double IA12 = IA_I1_12 + IA_I2_12;
        const double IA13 = T_I1_13 + T_I2_13;
        const double IA22 = 1.0 + (IA_I1_22 + IA_I2_22);
        const double IA23 = T_I1_23 + T_I2_23;
        const double t = r_I2_2 * T_I1_13 + (0.08333333333333333 + r_I2_1 * T_I2_23) - r_I2_1 * T_I1_23;
        const double IA33 = t - r_I2_2 * T_I2_13;
        const double pA1 = y_I1_1 + y_I2_1;
        const double pA2 = 9.81 + (y_I1_2 + y_I2_2);
        /* m = 0 at the hinge: Riccati paper (29), (30), completed */
        const double t_2 = r_I2_2 * y_I2_1 - (r_I2_1 * y_I2_2 + r_I2_2 * y_I1_1 - r_I2_1 * y_I1_2);
        const double t_3 = 1.0 / IA33;
        const double t_4 = IA13 * t_3;
        const double t_5 = IA23 * t_3;
        const double Pb13 = t_2 * t_3;
        const double IAh11 = IA11 - IA13 * t_4;
        const double IAh12 = IA12 - IA13 * t_5;
        const double IAh22 = IA22 - IA23 * t_5;
        const double pAh1 = pA1 + IA13 * Pb13;
        const double pAh2 = pA2 + IA23 * Pb13;
        w->P11[3] = -t_4;
        w->P12[3] = -t_5;
        w->b[3] = Pb13;
        w->IAh11[3] = IAh11;
        w->IAh12[3] = IAh12;
        w->IAh22[3] = IAh22;
        w->pAh1[3] = pAh1;
        w->pAh2[3] = pAh2;
    }
}

/* back-substitution, from the root to the tips */
static void root_to_tips(const double *restrict v, double *restrict a, branch_pendulum_work *restrict w)
{
    /* 7: accelerations of a body with 2 inputs */
    {
        const double b = w->b[3];
        const double omega = v[3];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        const double r_I2_1 = 0.5 * w->c[3];
        const double r_I2_2 = 0.5 * w->s[3];
        const double rdd_I1_1 = b * r_I2_2 + w2 * r_I2_1;
        const double t = b * r_I2_1;
        const double t_2 = w2 * r_I2_2;
        const double rdd_I1_2 = t_2 - t;
        const double rdd_I2_2 = t - t_2;
        a[3] = b;
        w->rdd1[0] = rdd_I1_1;
        w->rdd2[0] = rdd_I1_2;
        w->rdd1[2] = -rdd_I1_1;
        w->rdd2[2] = rdd_I2_2;
    }
    /* 5: accelerations of a body with one input */
    {
        const double c = w->c[2];
        const double s = w->s[2];
        const double rdd1 = w->rdd1[2];
        const double rdd2 = w->rdd2[2];
        const double omega = v[2];
        /* back-substitution: Riccati paper (33), completed */
        const double Omegad = w->P12[2] * rdd2 + (w->b[2] + w->P11[2] * rdd1);
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        const double rdd_I1_1 = c * w2 + (rdd1 + s * Omegad);
        const double rdd_I1_2 = rdd2 + s * w2 - c * Omegad;
        a[2] = Omegad;
        w->rdd1[1] = rdd_I1_1;
        w->rdd2[1] = rdd_I1_2;
    }
    /* 3: accelerations of a body with no input */
    {
        /* back-substitution: Riccati paper (33), completed */
        const double Omegad = w->P12[1] * w->rdd2[1] + (w->b[1] + w->P11[1] * w->rdd1[1]);
        a[1] = Omegad;
    }
    /* 1: accelerations of a body with no input */
    {
        /* back-substitution: Riccati paper (33), completed */
        const double Omegad = w->P12[0] * w->rdd2[0] + (w->b[0] + w->P11[0] * w->rdd1[0]);
        a[0] = Omegad;
    }
}

/* loads at every hinge */
static void hinge_loads(double *restrict loads, branch_pendulum_work *restrict w)
{
    /* 1: loads at a hinge */
    {
        const double IAh12 = w->IAh12[0];
        const double rdd1 = w->rdd1[0];
        const double rdd2 = w->rdd2[0];
        /* Riccati paper (31): z_a = S z_b + e */
        const double lam1 = IAh12 * rdd2 + (w->pAh1[0] + w->IAh11[0] * rdd1);
        const double lam2 = w->IAh22[0] * rdd2 + (w->pAh2[0] + IAh12 * rdd1);
        loads[0] = 0.0;
        loads[1] = 0.0;
        loads[2] = 0.0;
        loads[3] = -lam1;
        loads[4] = -lam2;
        loads[5] = 0.0;
    }
    /* 3: loads at a hinge */
    {
        const double IAh12 = w->IAh12[1];
        const double rdd1 = w->rdd1[1];
        const double rdd2 = w->rdd2[1];
        /* Riccati paper (31): z_a = S z_b + e */
        const double lam1 = IAh12 * rdd2 + (w->pAh1[1] + w->IAh11[1] * rdd1);
        const double lam2 = w->IAh22[1] * rdd2 + (w->pAh2[1] + IAh12 * rdd1);
        loads[6] = 0.0;
        loads[7] = 0.0;
        loads[8] = 0.0;
        loads[9] = -lam1;
        loads[10] = -lam2;
        loads[11] = 0.0;
    }
    /* 5: loads at a hinge */
    {
        const double IAh12 = w->IAh12[2];
        const double rdd1 = w->rdd1[2];
        const double rdd2 = w->rdd2[2];
        /* Riccati paper (31): z_a = S z_b + e */
        const double lam1 = IAh12 * rdd2 + (w->pAh1[2] + w->IAh11[2] * rdd1);
        const double lam2 = w->IAh22[2] * rdd2 + (w->pAh2[2] + IAh12 * rdd1);
        loads[12] = 0.0;
        loads[13] = 0.0;
        loads[14] = 0.0;
        loads[15] = -lam1;
        loads[16] = -lam2;
        loads[17] = 0.0;
    }
    /* 7: loads at a hinge */
    {
        loads[18] = 0.0;
        loads[19] = 0.0;
        loads[20] = 0.0;
        loads[21] = -w->pAh1[3];
        loads[22] = -w->pAh2[3];
        loads[23] = 0.0;
    }
}

/* accelerations and loads at every end of every element */
static void end_states(const double *restrict v, double *restrict a, double *restrict za, double *restrict zb, branch_pendulum_work *restrict w)
{
    /* 1: acceleration of an end, loads at both ends of a hinge, loads at a free end */
    {
        const double c = w->c[0];
        const double s = w->s[0];
        const double omega = v[0];
        const double a_ = a[0];
        const double rdd1 = w->rdd1[0];
        const double rdd2 = w->rdd2[0];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        const double zb1 = c * w2 + (rdd1 + s * a_);
        const double zb2 = rdd2 + s * w2 - c * a_;
        const double IAh12 = w->IAh12[0];
        /* Riccati paper (31): z_a = S z_b + e */
        const double lam1 = rdd2 * IAh12 + (w->pAh1[0] + rdd1 * w->IAh11[0]);
        const double lam2 = rdd2 * w->IAh22[0] + (w->pAh2[0] + rdd1 * IAh12);
        /* Riccati paper (2) */
        const double t = -lam1;
        const double t_2 = -lam2;
        zb[0] = zb1;
        zb[1] = zb2;
        zb[2] = 0.0;
        zb[3] = 0.0;
        zb[4] = 0.0;
        zb[5] = a_;
        zb[6] = rdd1;
        zb[7] = rdd2;
        zb[8] = 0.0;
        zb[9] = 0.0;
        zb[10] = 0.0;
        zb[11] = a_;
        za[6] = 0.0;
        za[7] = 0.0;
        za[8] = 0.0;
        za[9] = t;
        za[10] = t_2;
        za[11] = 0.0;
        za[36] = 0.0;
        za[37] = 0.0;
        za[38] = 0.0;
        za[39] = t;
        za[40] = t_2;
        za[41] = 0.0;
        za[0] = 0.0;
        za[1] = 0.0;
        za[2] = 0.0;
        za[3] = 0.0;
        za[4] = 0.0;
        za[5] = 0.0;
    }
    /* 3: acceleration of an end, loads at both ends of a hinge, loads at a free end */
    {
        const double c = w->c[1];
        const double s = w->s[1];
        const double omega = v[1];
        const double a_ = a[1];
        const double rdd1 = w->rdd1[1];
        const double rdd2 = w->rdd2[1];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        const double zb1 = c * w2 + (rdd1 + s * a_);
        const double zb2 = rdd2 + s * w2 - c * a_;
        const double IAh12 = w->IAh12[1];
        /* Riccati paper (31): z_a = S z_b + e */
        const double lam1 = rdd2 * IAh12 + (w->pAh1[1] + rdd1 * w->IAh11[1]);
        const double lam2 = rdd2 * w->IAh22[1] + (w->pAh2[1] + rdd1 * IAh12);
        /* Riccati paper (2) */
        const double t = -lam1;
        const double t_2 = -lam2;
        zb[12] = zb1;
        zb[13] = zb2;
        zb[14] = 0.0;
        zb[15] = 0.0;
        zb[16] = 0.0;
        zb[17] = a_;
        zb[18] = rdd1;
        zb[19] = rdd2;
        zb[20] = 0.0;
        zb[21] = 0.0;
        zb[22] = 0.0;
        zb[23] = a_;
        za[18] = 0.0;
        za[19] = 0.0;
        za[20] = 0.0;
        za[21] = t;
        za[22] = t_2;
        za[23] = 0.0;
        za[24] = 0.0;
        za[25] = 0.0;
        za[26] = 0.0;
        za[27] = t;
        za[28] = t_2;
        za[29] = 0.0;
        za[12] = 0.0;
        za[13] = 0.0;
        za[14] = 0.0;
        za[15] = 0.0;
        za[16] = 0.0;
        za[17] = 0.0;
    }
    /* 5: acceleration of an end, loads at both ends of a hinge */
    {
        const double c = w->c[2];
        const double s = w->s[2];
        const double omega = v[2];
        const double a_ = a[2];
        const double rdd1 = w->rdd1[2];
        const double rdd2 = w->rdd2[2];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        const double zb1 = c * w2 + (rdd1 + s * a_);
        const double zb2 = rdd2 + s * w2 - c * a_;
        const double IAh12 = w->IAh12[2];
        /* Riccati paper (31): z_a = S z_b + e */
        const double lam1 = rdd2 * IAh12 + (w->pAh1[2] + rdd1 * w->IAh11[2]);
        const double lam2 = rdd2 * w->IAh22[2] + (w->pAh2[2] + rdd1 * IAh12);
        /* Riccati paper (2) */
        const double t = -lam1;
        const double t_2 = -lam2;
        zb[24] = zb1;
        zb[25] = zb2;
        zb[26] = 0.0;
        zb[27] = 0.0;
        zb[28] = 0.0;
        zb[29] = a_;
        zb[30] = rdd1;
        zb[31] = rdd2;
        zb[32] = 0.0;
        zb[33] = 0.0;
        zb[34] = 0.0;
        zb[35] = a_;
        za[30] = 0.0;
        za[31] = 0.0;
        za[32] = 0.0;
        za[33] = t;
        za[34] = t_2;
        za[35] = 0.0;
        za[42] = 0.0;
        za[43] = 0.0;
        za[44] = 0.0;
        za[45] = t;
        za[46] = t_2;
        za[47] = 0.0;
    }
    /* 7: acceleration of an end, loads at both ends of a hinge, acceleration of the ground */
    {
        const double omega = v[3];
        const double a_ = a[3];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double w2 = omega * omega;
        /* r_P = r_O + A r′ */
        const double r1 = 0.5 * w->c[3];
        const double r2 = 0.5 * w->s[3];
        /* Riccati paper (14): acceleration of a point of a rigid body */
        const double zb1 = a_ * r2 + w2 * r1;
        const double t = a_ * r1;
        const double t_2 = w2 * r2;
        const double zb2 = t_2 - t;
        const double zb2_2 = t - t_2;
        /* Riccati paper (2) */
        const double t_3 = -w->pAh1[3];
        const double t_4 = -w->pAh2[3];
        zb[36] = zb1;
        zb[37] = zb2;
        zb[38] = 0.0;
        zb[39] = 0.0;
        zb[40] = 0.0;
        zb[41] = a_;
        zb[42] = -zb1;
        zb[43] = zb2_2;
        zb[44] = 0.0;
        zb[45] = 0.0;
        zb[46] = 0.0;
        zb[47] = a_;
        zb[48] = 0.0;
        zb[49] = 0.0;
        zb[50] = 0.0;
        zb[51] = 0.0;
        zb[52] = 0.0;
        zb[53] = a_;
        za[48] = 0.0;
        za[49] = 0.0;
        za[50] = 0.0;
        za[51] = t_3;
        za[52] = t_4;
        za[53] = 0.0;
        za[54] = 0.0;
        za[55] = 0.0;
        za[56] = 0.0;
        za[57] = t_3;
        za[58] = t_4;
        za[59] = 0.0;
        zb[54] = 0.0;
        zb[55] = 0.0;
        zb[56] = 0.0;
        zb[57] = 0.0;
        zb[58] = 0.0;
        zb[59] = 0.0;
    }
}

/* position of every hinge */
static void places_poses(branch_pendulum_work *restrict w)
{
    /* 7: 2 inputs of a body */
    {
        /* r_P = r_O + A r′ */
        const double r_I2_1 = 0.5 * w->c[3];
        const double r_I2_2 = 0.5 * w->s[3];
        w->x1[0] = -r_I2_1;
        w->x2[0] = -r_I2_2;
        w->x1[2] = r_I2_1;
        w->x2[2] = r_I2_2;
    }
    /* 5: one input of a body */
    {
        /* r_P = r_O + A r′ */
        const double x_I1_1 = w->x1[2] - w->c[2];
        const double x_I1_2 = w->x2[2] - w->s[2];
        w->x1[1] = x_I1_1;
        w->x2[1] = x_I1_2;
    }
}

/* position of every hinge */
static void places(const double *restrict v, branch_pendulum_work *restrict w)
{
    /* 7: 2 inputs of a body */
    {
        const double omega = v[3];
        /* r_P = r_O + A r′ */
        const double r_I2_1 = 0.5 * w->c[3];
        const double r_I2_2 = 0.5 * w->s[3];
        /* ṙ_P = ṙ_O + Ω × r */
        const double rd_I1_1 = omega * r_I2_2;
        const double rd_I2_2 = omega * r_I2_1;
        w->x2[0] = -r_I2_2;
        w->rd1[0] = rd_I1_1;
        w->rd2[0] = -rd_I2_2;
        w->x2[2] = r_I2_2;
        w->rd1[2] = -rd_I1_1;
        w->rd2[2] = rd_I2_2;
    }
    /* 5: one input of a body */
    {
        const double s = w->s[2];
        const double omega = v[2];
        /* r_P = r_O + A r′ */
        const double x_I1_2 = w->x2[2] - s;
        /* ṙ_P = ṙ_O + Ω × r */
        const double rd_I1_1 = w->rd1[2] + s * omega;
        const double rd_I1_2 = w->rd2[2] - w->c[2] * omega;
        w->x2[1] = x_I1_2;
        w->rd1[1] = rd_I1_1;
        w->rd2[1] = rd_I1_2;
    }
}

/* pose of every body */
static void body_poses(double *restrict poses, branch_pendulum_work *restrict w)
{
    /* 1: pose of a body */
    {
        const double c = w->c[0];
        const double s = w->s[0];
        /* r_P = r_O + A r′ */
        const double o1 = w->x1[0] - c;
        const double o2 = w->x2[0] - s;
        poses[0] = c;
        poses[1] = -s;
        poses[2] = 0.0;
        poses[3] = o1;
        poses[4] = s;
        poses[5] = c;
        poses[6] = 0.0;
        poses[7] = o2;
        poses[8] = 0.0;
        poses[9] = 0.0;
        poses[10] = 1.0;
        poses[11] = 0.0;
        poses[12] = 0.0;
        poses[13] = 0.0;
        poses[14] = 0.0;
        poses[15] = 1.0;
    }
    /* 3: pose of a body */
    {
        const double c = w->c[1];
        const double s = w->s[1];
        /* r_P = r_O + A r′ */
        const double o1 = w->x1[1] - c;
        const double o2 = w->x2[1] - s;
        poses[16] = c;
        poses[17] = -s;
        poses[18] = 0.0;
        poses[19] = o1;
        poses[20] = s;
        poses[21] = c;
        poses[22] = 0.0;
        poses[23] = o2;
        poses[24] = 0.0;
        poses[25] = 0.0;
        poses[26] = 1.0;
        poses[27] = 0.0;
        poses[28] = 0.0;
        poses[29] = 0.0;
        poses[30] = 0.0;
        poses[31] = 1.0;
    }
    /* 5: pose of a body */
    {
        const double c = w->c[2];
        const double s = w->s[2];
        /* r_P = r_O + A r′ */
        const double o1 = w->x1[2] - c;
        const double o2 = w->x2[2] - s;
        poses[32] = c;
        poses[33] = -s;
        poses[34] = 0.0;
        poses[35] = o1;
        poses[36] = s;
        poses[37] = c;
        poses[38] = 0.0;
        poses[39] = o2;
        poses[40] = 0.0;
        poses[41] = 0.0;
        poses[42] = 1.0;
        poses[43] = 0.0;
        poses[44] = 0.0;
        poses[45] = 0.0;
        poses[46] = 0.0;
        poses[47] = 1.0;
    }
    /* 7: pose of a body */
    {
        const double c = w->c[3];
        const double s = w->s[3];
        poses[48] = c;
        poses[49] = -s;
        poses[50] = 0.0;
        poses[51] = -(0.5 * c);
        poses[52] = s;
        poses[53] = c;
        poses[54] = 0.0;
        poses[55] = -(0.5 * s);
        poses[56] = 0.0;
        poses[57] = 0.0;
        poses[58] = 1.0;
        poses[59] = 0.0;
        poses[60] = 0.0;
        poses[61] = 0.0;
        poses[62] = 0.0;
        poses[63] = 1.0;
    }
}

/* energy of the system */
static void energies(const double *restrict v, double *restrict energy, branch_pendulum_work *restrict w)
{
    /* 1: kinetic and potential energy of a body */
    {
        const double omega = v[0];
        /* r_P = r_O + A r′ */
        const double t = 0.5 * w->s[0];
        /* ṙ_C = ṙ_O + Ω × r */
        const double vC1 = w->rd1[0] + omega * t;
        const double vC2 = w->rd2[0] - omega * (0.5 * w->c[0]);
        /* E = T + V */
        const double t_2 = 0.041666666666666664 * (omega * omega) + 0.5 * (vC1 * vC1 + vC2 * vC2);
        const double E = 9.81 * (w->x2[0] - t) + t_2;
        w->E[0] = E;
    }
    /* 3: kinetic and potential energy of a body */
    {
        const double omega = v[1];
        /* r_P = r_O + A r′ */
        const double t = 0.5 * w->s[1];
        /* ṙ_C = ṙ_O + Ω × r */
        const double vC1 = w->rd1[1] + omega * t;
        const double vC2 = w->rd2[1] - omega * (0.5 * w->c[1]);
        /* E = T + V */
        const double t_2 = 0.5 * (vC1 * vC1 + vC2 * vC2) + (w->E[0] + 0.041666666666666664 * (omega * omega));
        const double E = 9.81 * (w->x2[1] - t) + t_2;
        w->E[1] = E;
    }
    /* 5: kinetic and potential energy of a body */
    {
        const double omega = v[2];
        /* r_P = r_O + A r′ */
        const double t = 0.5 * w->s[2];
        /* ṙ_C = ṙ_O + Ω × r */
        const double vC1 = w->rd1[2] + omega * t;
        const double vC2 = w->rd2[2] - omega * (0.5 * w->c[2]);
        /* E = T + V */
        const double t_2 = 0.5 * (vC1 * vC1 + vC2 * vC2) + (w->E[1] + 0.041666666666666664 * (omega * omega));
        const double E = 9.81 * (w->x2[2] - t) + t_2;
        w->E[2] = E;
    }
    /* 7: kinetic and potential energy of a body */
    {
        const double omega = v[3];
        /* E = T + V */
        const double E = w->E[2] + 0.041666666666666664 * (omega * omega);
        energy[0] = E;
    }
}

/* rates of the coordinates */
static void rates(const double *restrict v, double *restrict qd)
{
    /* 1: rates of a body's coordinates */
    {
        qd[0] = v[0];
    }
    /* 3: rates of a body's coordinates */
    {
        qd[1] = v[1];
    }
    /* 5: rates of a body's coordinates */
    {
        qd[2] = v[2];
    }
    /* 7: rates of a body's coordinates */
    {
        qd[3] = v[3];
    }
}

/* accelerations of the coordinates */
int branch_pendulum_accelerations(const double *q, const double *v, double *a, branch_pendulum_work *w)
{
    orientation(q, w);
    tips_to_root(v, w);
    root_to_tips(v, a, w);
    return !(all_finite(4, a));
}

/* loads at the hinges, moment then force, on the root side by the tip side */
int branch_pendulum_joint_loads(const double *q, const double *v, double *a, double *loads, branch_pendulum_work *w)
{
    orientation(q, w);
    tips_to_root(v, w);
    root_to_tips(v, a, w);
    hinge_loads(loads, w);
    return !(all_finite(4, a) && all_finite(24, loads));
}

/* accelerations and loads at every end of every element */
int branch_pendulum_end_states(const double *q, const double *v, double *a, double *za, double *zb, branch_pendulum_work *w)
{
    orientation(q, w);
    tips_to_root(v, w);
    root_to_tips(v, a, w);
    end_states(v, a, za, zb, w);
    return !(all_finite(4, a) && all_finite(60, za) && all_finite(60, zb));
}

/* pose of every body */
int branch_pendulum_poses(const double *q, double *poses, branch_pendulum_work *w)
{
    orientation(q, w);
    places_poses(w);
    body_poses(poses, w);
    return !(all_finite(64, poses));
}

/* kinetic plus potential energy */
int branch_pendulum_energy(const double *q, const double *v, double *energy, branch_pendulum_work *w)
{
    orientation(q, w);
    places(v, w);
    energies(v, energy, w);
    return !(all_finite(1, energy));
}

/* rates of the coordinates */
int branch_pendulum_rates(const double *v, double *qd, branch_pendulum_work *w)
{
    rates(v, qd);
    (void)w;
    return !(all_finite(4, qd));
}

/* A method of integration. Stage i stands at c_i h, moved by x = h (a_i1 k_1 + a_i2 k_2 + ...), k_i
 * being the rates there; the step ends with b for a_i. `error` weighs the stages for the error,
 * `dense` for what a cubic between two steps lacks. */
typedef struct {
    int stages, curved, staggered, adaptive;
    double a[7][7], b[7], c[7], error[7], dense[7];
} method;

static const method methods[4] = {
    /* rk4: classical Runge-Kutta; quaternions are brought back to unit length (Riccati paper, Sect. 5.1) */
    {
        4, 0, 0, 0,
        {
            { 0.0 },
            { 1.0 / 2.0 },
            { 0.0, 1.0 / 2.0 },
            { 0.0, 0.0, 1.0 },
        },
        {
            1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0
        },
        {
            0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0
        },
        {
            0.0
        },
        {
            0.0
        },
    },
    /* euler: semi-implicit Euler: the speeds first, the coordinates with the new ones (own) */
    {
        1, 1, 1, 0,
        {
            { 0.0 },
        },
        {
            1.0
        },
        {
            0.0
        },
        {
            0.0
        },
        {
            0.0
        },
    },
    /* rkmk4: Munthe-Kaas: Runge-Kutta on increments of the orientations (screw paper (89), (90)) */
    {
        4, 1, 0, 0,
        {
            { 0.0 },
            { 1.0 / 2.0 },
            { 0.0, 1.0 / 2.0 },
            { 0.0, 0.0, 1.0 },
        },
        {
            1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0
        },
        {
            0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0
        },
        {
            0.0
        },
        {
            0.0
        },
    },
    /* dopri5: Dormand-Prince 5(4) with a continuous result of order 4 (Dormand and Prince 1980; Shampine 1986) */
    {
        7, 1, 0, 1,
        {
            { 0.0 },
            { 1.0 / 5.0 },
            { 3.0 / 40.0, 9.0 / 40.0 },
            { 44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0 },
            { 19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0 },
            { 9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0 },
            { 35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0 },
        },
        {
            35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0,
            -2187.0 / 6784.0, 11.0 / 84.0, 0.0
        },
        {
            0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0,
            8.0 / 9.0, 1.0, 1.0
        },
        {
            71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0,
            -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0
        },
        {
            -12715105075.0 / 11282082432.0, 0.0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
            701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0
        },
    },
};

/* out = base + h (weight_1 k_1 + weight_2 k_2 + ...); without a base from 0 */
static void combine(int n, int stages, const double *weights, double h, const double *restrict k,
                    const double *restrict base, double *restrict out)
{
    int s = 0;
    while (s < stages && weights[s] == 0.0) {
        s++;
    }
    const double first = s < stages ? weights[s] * h : 0.0;
    for (int j = 0; j < n; j++) {
        out[j] = base ? base[j] : 0.0;
    }
    for (int j = 0; s < stages && j < n; j++) {
        out[j] += first * k[s * n + j];
    }
    for (s++; s < stages; s++) {
        const double part = weights[s] * h;
        for (int j = 0; weights[s] != 0.0 && j < n; j++) {
            out[j] += part * k[s * n + j];
        }
    }
}

/* Into at_q, at_v: the state that the weighted stages lead to in h; into x the increments */
static void displace(branch_pendulum_motion *m, int stages, const double *weights, double h)
{
    combine(4, stages, weights, h, m->k_v[0], m->v, m->at_v);
    combine(4, stages, weights, h, m->k_q[0], m->q, m->at_q);
}

/* The rates of the increments at (at_q, at_v), for stage s */
static int increment_rates(branch_pendulum_motion *m, int s, branch_pendulum_work *w)
{
    const int status = branch_pendulum_rates(m->at_v, m->k_q[s], w);
    return status;
}

/* All rates at (at_q, at_v), for stage s */
static int stage(branch_pendulum_motion *m, int s, branch_pendulum_work *w)
{
    return increment_rates(m, s, w)
        | branch_pendulum_accelerations(m->at_q, m->at_v, m->k_v[s], w);
}

/* One step of length h, from a stage on: into at_q, at_v */
static int step_over(branch_pendulum_motion *m, int from, double h, branch_pendulum_work *w)
{
    const method *const of = &methods[m->method];
    int status = 0;
    for (int s = from; s < of->stages; s++) {
        displace(m, s, of->a[s], h);
        m->at_t = m->t + of->c[s] * h;
        status |= stage(m, s, w);
    }
    if (of->adaptive) {
        return status; /* the last stage stands at the end */
    }
    if (of->staggered) {
        combine(4, of->stages, of->b, h, m->k_v[0], m->v, m->at_v);
        status |= increment_rates(m, 0, w);
    }
    displace(m, of->stages, of->b, h);
    return status;
}

/* The first stage of an adaptive method's next step: the last one of the step before, if any */
static int first_stage(branch_pendulum_motion *m, int anew, branch_pendulum_work *w)
{
    displace(m, 0, methods[m->method].b, 0.0);
    m->at_t = m->t;
    if (anew) {
        return stage(m, 0, w);
    }
    if (m->taken) {
        memcpy(m->k_q[0], m->k_q[6], sizeof m->k_q[0]);
        memcpy(m->k_v[0], m->k_v[6], sizeof m->k_v[0]);
    }
    return 0;
}

/* Adds the squares of n errors e by what is allowed between y and z */
static void add_squares(const branch_pendulum_motion *m, int n, const double *e, const double *y, const double *z,
                        double *sum)
{
    for (int j = 0; j < n; j++) {
        const double one = fabs(y[j]), other = fabs(z[j]);
        const double ratio = e[j] / (m->atol + m->rtol * (one > other ? one : other));
        *sum += ratio * ratio;
    }
}

/* The error of the step, 1 being what is allowed */
static void estimate(branch_pendulum_motion *m)
{
    const method *const of = &methods[m->method];
    m->error = 0.0;
    combine(4, of->stages, of->error, m->h, m->k_q[0], 0, m->x);
    add_squares(m, 4, m->x, m->q, m->at_q, &m->error);
    combine(4, of->stages, of->error, m->h, m->k_v[0], 0, m->x);
    add_squares(m, 4, m->x, m->v, m->at_v, &m->error);
    m->error = sqrt(m->error / 8.0);
}

/* How long the next step of an adaptive method is from the start, by how fast the state changes */
static void guess(branch_pendulum_motion *m)
{
    double size = 0.0, rate = 0.0;
    add_squares(m, 4, m->q, m->q, m->q, &size);
    add_squares(m, 4, m->v, m->v, m->v, &size);
    add_squares(m, 4, m->k_q[0], m->q, m->q, &rate);
    add_squares(m, 4, m->k_v[0], m->v, m->v, &rate);
    m->size = size > 0.0 && rate > 0.0 ? 0.01 * sqrt(size / rate) : 1e-6;
}

/* The length of a motion's next step; 0 if it has ended */
static double length_of(const branch_pendulum_motion *m)
{
    if (m->state != BRANCH_PENDULUM_UNDER_WAY) {
        return 0.0;
    }
    if (!methods[m->method].adaptive) {
        return m->done < m->whole ? m->dt : m->rest;
    }
    const double left = m->end - m->t;
    return 1.01 * m->size < left ? m->size : left;
}

/* Is the step taken? Says of an adaptive method how long the next one is: proportional-integral
 * control with the exponents of Hairer, Norsett and Wanner */
static void judge(branch_pendulum_motion *m, int sound)
{
    m->taken = 0;
    if (m->state != BRANCH_PENDULUM_UNDER_WAY) {
        return;
    }
    if (!methods[m->method].adaptive) {
        m->taken = sound;
        m->state = sound ? BRANCH_PENDULUM_UNDER_WAY : BRANCH_PENDULUM_NOT_FINITE;
        return;
    }
    const double error = m->error, h = m->h;
    if (sound && error <= 1.0) {
        const double factor = 0.9 * pow(error, 0.75 * 0.04 - 0.2) * pow(m->before, 0.04);
        m->size = h * fmax(0.2, fmin(factor, m->shrunk ? 1.0 : 10.0));
        m->before = fmax(error, 1e-4);
        m->taken = 1;
        m->shrunk = 0;
        return;
    }
    m->size = h * (sound && error < HUGE_VAL ? fmax(0.2, 0.9 * pow(error, -0.2)) : 0.2);
    m->shrunk = 1;
    if (m->size <= 16.0 * DBL_EPSILON * fabs(m->t) || m->size < DBL_MIN) {
        m->state = BRANCH_PENDULUM_TOO_SMALL;
    }
}

/* The state after a part of the step, as a row: from the continuous result, or by a shorter step */
static void inside(branch_pendulum_motion *m, double part, branch_pendulum_work *w)
{
    const method *const of = &methods[m->method];
    if (of->adaptive) {
        const double rest = 1.0 - part;
        double weights[7];
        for (int s = 0; s < 7; s++) {
            weights[s] = part * part * ((3.0 - 2.0 * part) * of->b[s] + rest * rest * of->dense[s]);
        }
        weights[0] += part * rest * rest;
        weights[6] -= part * part * rest;
        displace(m, of->stages, weights, m->h);
    } else {
        step_over(m, 0, part * m->h, w);
    }
    for (int j = 0; j < 4; j++) {
        m->row_q[j] = m->at_q[j];
    }
    for (int j = 0; j < 4; j++) {
        m->row_v[j] = m->at_v[j];
    }
    (void)w;
}

/* The state at the end of the step, as a row */
static void arrive(branch_pendulum_motion *m)
{
    for (int j = 0; j < 4; j++) {
        m->row_q[j] = m->next_q[j];
    }
    for (int j = 0; j < 4; j++) {
        m->row_v[j] = m->next_v[j];
    }
}

static void record(branch_pendulum_motion *m)
{
    const long row = m->recorded++;
    memcpy(&m->run_q[row * 4], m->row_q, sizeof m->row_q);
    memcpy(&m->run_v[row * 4], m->row_v, sizeof m->row_v);
}

static void watch(branch_pendulum_motion *m, double t, double *values)
{
    if (m->watcher(t, m->row_q, m->row_v, values, m->data)) {
        m->state = BRANCH_PENDULUM_FAILED;
    }
}

/* The part of the step after which event e has come: the secant rule of Illinois, now and then
 * halving. `values` hold all events before the step and after it; the row is left there. */
static double root(branch_pendulum_motion *m, int e, const double *values, branch_pendulum_work *w)
{
    double low = 0.0, high = 1.0, below = values[e], above = values[m->events + e];
    double *const now = m->values + 2 * m->events;
    int last = 0;
    for (int n = 0; n < 200 && above != 0.0 && high - low > 2.0 * DBL_EPSILON; n++) {
        double part = high - above * (high - low) / (above - below);
        if (n % 4 == 3 || !(part > low && part < high)) {
            part = 0.5 * (low + high);
        }
        inside(m, part, w);
        watch(m, m->t + part * m->h, now);
        const int is_before = now[e] != 0.0 && (now[e] < 0.0) == (values[e] < 0.0);
        if (is_before) {
            low = part;
            below = now[e];
            above *= last == 1 ? 0.5 : 1.0;
        } else {
            high = part;
            above = now[e];
            below *= last == 2 ? 0.5 : 1.0;
        }
        last = is_before ? 1 : 2;
    }
    return high;
}

/* When in the step each event comes, 2 where it does not; the first one that ends the motion */
static double happen(branch_pendulum_motion *m, branch_pendulum_work *w)
{
    double *const values = m->values, *const after = values + m->events;
    double *const parts = values + 3 * m->events, end = 2.0;
    arrive(m);
    watch(m, m->t + m->h, after);
    for (int e = 0; e < m->events; e++) {
        const int rises = values[e] < 0.0 && after[e] >= 0.0, falls = values[e] > 0.0 && after[e] <= 0.0;
        const int comes = (rises && m->direction[e] >= 0) || (falls && m->direction[e] <= 0);
        parts[e] = comes ? root(m, e, values, w) : 2.0;
        end = m->terminal[e] && parts[e] < end ? parts[e] : end;
    }
    memcpy(values, after, (size_t)m->events * sizeof *values);
    return end;
}

/* Lists the events of a step in their order, up to the end of the motion */
static void list_events(branch_pendulum_motion *m, double end, branch_pendulum_work *w)
{
    double *const parts = m->values + 3 * m->events;
    for (;;) {
        int first = 0;
        for (int e = 1; e < m->events; e++) {
            first = parts[e] < parts[first] ? e : first;
        }
        if (parts[first] > 1.0 || parts[first] > end) {
            return;
        }
        if (parts[first] == 1.0) {
            arrive(m);
        } else {
            inside(m, parts[first], w);
        }
        m->found_t[m->found] = m->t + parts[first] * m->h;
        m->found_event[m->found] = first;
        m->found_state[m->found] = 0;
        memcpy(&m->found_q[m->found * 4], m->row_q, sizeof m->row_q);
        memcpy(&m->found_v[m->found * 4], m->row_v, sizeof m->row_v);
        m->found++;
        parts[first] = 2.0;
    }
}

/* What the step passes: events, records, perhaps the end */
static void follow(branch_pendulum_motion *m, branch_pendulum_work *w)
{
    if (!m->taken) {
        return;
    }
    const int adaptive = methods[m->method].adaptive;
    const double h = m->h, before = m->t;
    const int last = adaptive ? h >= m->end - before : m->done + 1 >= m->whole + (m->rest > 0.0);
    const double after = last ? m->end : adaptive ? before + h : m->start + (double)(m->done + 1) * m->dt;
    const double part = m->events ? happen(m, w) : 2.0;
    const int stops = part <= 1.0;
    if (m->events) {
        list_events(m, part, w);
    }
    const double now = stops ? before + part * h : after;
    while (adaptive && m->recorded < m->records && m->times[m->recorded] < now) {
        inside(m, (m->times[m->recorded] - before) / h, w);
        record(m);
    }
    if (stops && part < 1.0) {
        inside(m, part, w);
        for (int j = 0; j < 4; j++) {
            m->next_q[j] = m->row_q[j];
        }
        for (int j = 0; j < 4; j++) {
            m->next_v[j] = m->row_v[j];
        }
    }
    const int due = adaptive ? m->recorded < m->records && m->times[m->recorded] == now
                             : (m->done + 1) % m->stride == 0;
    if (due || last || stops) {
        arrive(m);
        record(m);
    }
    m->t = now;
    if (m->state == BRANCH_PENDULUM_UNDER_WAY) {
        m->state = stops ? BRANCH_PENDULUM_STOPPED : last ? BRANCH_PENDULUM_DONE : BRANCH_PENDULUM_UNDER_WAY;
    }
}

/* Where a motion stands: after the step where it is taken, else where it stood */
static void settle(branch_pendulum_motion *m)
{
    memcpy(m->next_q, m->taken ? m->at_q : m->q, sizeof m->q);
    memcpy(m->next_v, m->taken ? m->at_v : m->v, sizeof m->v);
}

static int is_under_way(const branch_pendulum_motion *m)
{
    return m->state == BRANCH_PENDULUM_UNDER_WAY;
}

void branch_pendulum_begin(branch_pendulum_motion *m, const double *q, const double *v, branch_pendulum_work *w)
{
    memcpy(m->q, q, sizeof m->q);
    memcpy(m->v, v, sizeof m->v);
    m->t = m->start;
    m->before = 1e-4;
    m->h = 0.0;
    m->found = m->done = 0;
    memcpy(m->next_q, m->q, sizeof m->q);
    memcpy(m->next_v, m->v, sizeof m->v);
    const int adaptive = methods[m->method].adaptive;
    const int status = adaptive ? first_stage(m, 1, w) : 0;
    if (adaptive) {
        guess(m);
    }
    m->state = status ? BRANCH_PENDULUM_NOT_FINITE : BRANCH_PENDULUM_UNDER_WAY;
    m->shrunk = m->taken = 0;
    m->recorded = 0;
    arrive(m);
    record(m);
    if (m->events) {
        watch(m, m->start, m->values);
    }
}

int branch_pendulum_advance(branch_pendulum_motion *m, long steps, branch_pendulum_work *w)
{
    const int adaptive = methods[m->method].adaptive;
    for (; steps > 0 && is_under_way(m) && m->room - m->found >= m->events; steps--) {
        m->h = length_of(m);
        step_over(m, adaptive, m->h, w);
        if (adaptive) {
            estimate(m);
        }
        judge(m, all_finite(4, m->at_q) && all_finite(4, m->at_v));
        settle(m);
        follow(m, w);
        memcpy(m->q, m->next_q, sizeof m->q);
        memcpy(m->v, m->next_v, sizeof m->v);
        m->done++;
        if (adaptive) {
            first_stage(m, 0, w);
        }
    }
    return is_under_way(m);
}

int branch_pendulum_rhs(double t, const double *y, double *dydt, void *data)
{
    const branch_pendulum_data *const with = data;
    (void)t;
    const double *const q = y;
    const double *const v = y + 4;
    return branch_pendulum_rates(v, dydt, with->w)
        | branch_pendulum_accelerations(q, v, dydt + 4, with->w);
}
