/* Functions of batch libraries, called with as many buffers as they take. */
typedef double *P;

#define EACH(x) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12)
#define TYPES_1 P
#define TYPES_2 TYPES_1, P
#define TYPES_3 TYPES_2, P
#define TYPES_4 TYPES_3, P
#define TYPES_5 TYPES_4, P
#define TYPES_6 TYPES_5, P
#define TYPES_7 TYPES_6, P
#define TYPES_8 TYPES_7, P
#define TYPES_9 TYPES_8, P
#define TYPES_10 TYPES_9, P
#define TYPES_11 TYPES_10, P
#define TYPES_12 TYPES_11, P
#define GIVEN_1 p[0]
#define GIVEN_2 GIVEN_1, p[1]
#define GIVEN_3 GIVEN_2, p[2]
#define GIVEN_4 GIVEN_3, p[3]
#define GIVEN_5 GIVEN_4, p[4]
#define GIVEN_6 GIVEN_5, p[5]
#define GIVEN_7 GIVEN_6, p[6]
#define GIVEN_8 GIVEN_7, p[7]
#define GIVEN_9 GIVEN_8, p[8]
#define GIVEN_10 GIVEN_9, p[9]
#define GIVEN_11 GIVEN_10, p[10]
#define GIVEN_12 GIVEN_11, p[11]

static int together(void *function, int count, long states, P *p, void *work)
{
    switch (count) {
#define CASE(n) case n: return ((int (*)(long, TYPES_##n, void *))function)(states, GIVEN_##n, work);
        EACH(CASE)
#undef CASE
    default: return 1;
    }
}
