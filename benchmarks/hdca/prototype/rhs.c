/* The right-hand side with its arguments in the harness's order. */
int hdca(void *system, const double *y, double *dy, double *sigma);

int prototype_rhs(const double *y, double *dy, void *system)
{
    return hdca(system, y, dy, 0);
}
