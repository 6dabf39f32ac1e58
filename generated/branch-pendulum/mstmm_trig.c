/* Sine and cosine of numbers beyond 1e5. The same for every model that mstmm writes. */
#include "mstmm_trig.h"

/* 2/pi to 1280 bits */
static const uint32_t two_over_pi[40] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
    0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du};

/* x > 1e5: the product with 2/pi in whole numbers, of which only the bits that count are formed. */
void mstmm_sincos_far(double x, double *sine, double *cosine)
{
    const uint64_t bits = mstmm_bits_of(x);
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
    mstmm_sincos_quadrant(n + past, y, lost + (high * 6.123233995736766e-17 + low * p), sine, cosine);
}
